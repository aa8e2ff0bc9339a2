// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lists the items in folders, and distinguishes a missing folder from a folder that cannot be read.
package enum FolderContent {
  /// Returns the names of the items in a folder, in arbitrary order; nil if the folder does not exist.
  ///
  /// - Throws: Foundation's error if the folder exists but cannot be listed.
  package static func names(atPath path: String) throws -> [String]? {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      if isMissing(path) { return nil }
      throw error
    }
  }

  static func names(ofModelFolder folder: URL) throws -> [String] {
    let names: [String]?
    do {
      names = try self.names(atPath: folder.path)
    } catch {
      throw ModelError(
        file: folder.path,
        reason: "the model folder cannot be read: \(error.localizedDescription)"
      )
    }
    guard let names else {
      throw ModelError(file: folder.path, reason: "the model folder does not exist")
    }
    return names
  }

  /// Whether the item at `path`, or one of its enclosing folders, does not exist.
  ///
  /// Also true for a symbolic link whose target does not exist. False if the path leads through a file, as in
  /// `file.txt/item`.
  package static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == ENOENT
  }
}
