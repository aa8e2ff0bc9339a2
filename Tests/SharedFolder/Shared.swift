// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folder of fixtures and cases that is not part of the package.
package enum Shared {
  /// `COREDATA_SHARED`, else `../shared` beside the package.
  package static let root: URL = {
    if let path = ProcessInfo.processInfo.environment["COREDATA_SHARED"] {
      return URL(fileURLWithPath: path)
    }
    let package = URL(fileURLWithPath: #filePath).resolvingSymlinksInPath()
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  /// Why a test that needs the folder is skipped.
  package static let absent = "no shared folder: set COREDATA_SHARED"
  package static var isThere: Bool { FileManager.default.fileExists(atPath: root.path) }

  package static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: url(path).path)
  }

  package static func url(_ path: String) -> URL { root.appendingPathComponent(path) }
  package static func store(_ name: String) -> URL { url("fixtures/stores/\(name)") }
  package static func model(_ name: String) -> URL { url("fixtures/models/\(name)") }

  /// Returns the files of a folder with that extension, sorted by name.
  package static func files(in folder: String, extension pathExtension: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(atPath: url(folder).path)
      .filter { $0.hasSuffix("." + pathExtension) }.sorted()
      .map { url(folder).appendingPathComponent($0) }
  }
}
