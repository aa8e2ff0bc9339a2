// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataTools

/// The models that commands name.
enum ModelOptions {
  /// The model at a path; what has to be known about it goes to the standard error.
  static func load(_ path: String, version: String? = nil) throws -> LoadedModel {
    let loaded = try ModelOpening.load(URL(fileURLWithPath: path), version: version)
    warn(loaded)
    return loaded
  }

  static func warn(_ loaded: LoadedModel) {
    if let warning = loaded.warning { Terminal.remark("warning: \(warning)") }
  }
}
