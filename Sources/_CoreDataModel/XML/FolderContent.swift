// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lists folders; distinguishes a missing folder from a folder that cannot be read.
package enum FolderContent {
  /// Returns the names in a folder, in arbitrary order; nil if the folder does not exist.
  ///
  /// - Throws: Foundation's error if the folder exists and cannot be listed.
  package static func names(atPath path: String) throws -> [String]? {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      if isMissing(path) { return nil }
      throw error
    }
  }

  /// Whether nothing exists at the path; also true for a symbolic link whose target does not exist.
  package static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == ENOENT
  }
}
