// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Lists folders so that one that is missing and one that cannot be read are told apart.
package enum FolderContent {
  /// The names in the folder, in no order; nil where there is no such folder.
  ///
  /// - Throws: Foundation's error where the folder is there and cannot be listed.
  package static func names(atPath path: String) throws -> [String]? {
    do {
      return try FileManager.default.contentsOfDirectory(atPath: path)
    } catch {
      if isMissing(path) { return nil }
      throw error
    }
  }

  /// Whether the system says that there is nothing at the path, a link without a target included.
  package static func isMissing(_ path: String) -> Bool {
    var status = stat()
    return stat(path, &status) != 0 && errno == ENOENT
  }
}
