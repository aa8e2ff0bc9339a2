// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The paths of a store's files, relative to the recorded folder.
package struct StorePaths: Hashable, Sendable {
  package let database: String

  package init(_ database: String) { self.database = database }

  package var log: String { database + "-wal" }
  package var journal: String { database + "-journal" }

  /// The folder of large values.
  package var values: String {
    let name = URL(fileURLWithPath: "/" + database).deletingPathExtension().lastPathComponent
    return ".\(name)_SUPPORT/_EXTERNAL_DATA"
  }
}
