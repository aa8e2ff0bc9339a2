// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Files that lie beside the project: real stores and models.
enum SharedFolder {
  /// `COREDATA_SHARED`, else `../shared` beside the package.
  static let url: URL = {
    if let path = ProcessInfo.processInfo.environment["COREDATA_SHARED"] {
      return URL(fileURLWithPath: path)
    }
    return URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
      .deletingLastPathComponent().appendingPathComponent("shared")
  }()
  static var isThere: Bool { FileManager.default.fileExists(atPath: url.path) }
  static func store(_ name: String) -> URL { url.appendingPathComponent("fixtures/stores/\(name)") }
  static func model(_ name: String) -> URL { url.appendingPathComponent("fixtures/models/\(name)") }
}
