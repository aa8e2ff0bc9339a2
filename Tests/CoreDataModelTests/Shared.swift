// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The folder of fixtures that is not part of the package.
enum Shared {
  static let root: URL = {
    if let path = ProcessInfo.processInfo.environment["COREDATA_SHARED"] {
      return URL(fileURLWithPath: path)
    }
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  static let absent = "no shared fixtures: set COREDATA_SHARED"

  static func has(_ path: String) -> Bool {
    FileManager.default.fileExists(atPath: root.appendingPathComponent(path).path)
  }

  static func url(_ path: String) -> URL { root.appendingPathComponent(path) }

  /// The files of a folder with that extension, sorted.
  static func files(in folder: String, extension pathExtension: String) throws -> [URL] {
    try FileManager.default.contentsOfDirectory(atPath: url(folder).path)
      .filter { $0.hasSuffix("." + pathExtension) }.sorted()
      .map { url(folder).appendingPathComponent($0) }
  }
}
