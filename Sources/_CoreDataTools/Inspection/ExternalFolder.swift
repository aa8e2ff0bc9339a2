// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The folder of a store's external storage, which contains a file for each large value.
package struct ExternalFolder {
  /// One file of the folder.
  package struct File: Sendable {
    package let name: String
    package let bytes: Int
  }

  package let url: URL

  /// Derives the folder's URL from the path of the store; the folder need not exist.
  package init(store: String) {
    let file = URL(fileURLWithPath: store)
    url = file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    )
  }

  /// Returns the visible files, sorted by name; empty if the folder does not exist.
  ///
  /// - Throws: `ToolError` if the folder exists but cannot be listed.
  package func files() throws -> [File] {
    let names: [String]
    do {
      names = try FolderContent.names(atPath: url.path) ?? []
    } catch {
      throw ToolError(
        "\(url.path): the folder of external storage cannot be listed: \(error.localizedDescription)"
      )
    }
    return names.filter { !$0.hasPrefix(".") }.sorted(by: utf8Less).map { name in
      let path = url.appendingPathComponent(name).path
      // The error is dropped: a file whose size cannot be read is shown with 0 bytes.
      let values = try? FileManager.default.attributesOfItem(atPath: path)
      return File(name: name, bytes: (values?[.size] as? NSNumber)?.intValue ?? 0)
    }
  }
}
