// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lists folders, and distinguishes a missing folder from a folder that cannot be read.
package enum FolderContent {
  /// Returns the names in a folder, in arbitrary order; nil if the folder does not exist.
  ///
  /// - Throws: Foundation's error if the folder cannot be listed for another reason.
  package static func names(atPath path: String) throws -> [String]? {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      if isMissing(path) { return nil }
      throw error
    }
  }

  /// Returns the names in the folder of a model, in arbitrary order.
  ///
  /// - Throws: `ModelError` if the folder does not exist or cannot be listed.
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

  /// Whether the item at the path, or a folder of the path, does not exist.
  ///
  /// Also true for a symbolic link whose target does not exist; false if an inner part of the path is a file.
  package static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == ENOENT
  }
}
