// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The folder beside a store in which large values have files of their own.
package struct ExternalFolder {
  /// One file of the folder.
  package struct File: Sendable {
    package let name: String
    package let bytes: Int
  }

  package let url: URL

  /// The folder of the store at that path, which need not exist.
  package init(store: String) {
    let file = URL(fileURLWithPath: store)
    url = file.deletingLastPathComponent().appendingPathComponent(
      ".\(file.deletingPathExtension().lastPathComponent)_SUPPORT/_EXTERNAL_DATA"
    )
  }

  /// The files by name; hidden ones are left out.
  ///
  /// - Throws: `ToolError` where the folder is there and cannot be listed.
  package func files() throws -> [File] {
    let names: [String]
    do {
      names = try FolderContent.names(atPath: url.path) ?? []
    } catch {
      throw ToolError(
        "\(url.path): the folder of large values cannot be listed: \(error.localizedDescription)"
      )
    }
    return names.filter { !$0.hasPrefix(".") }.sorted(by: utf8Less).map { name in
      let path = url.appendingPathComponent(name).path
      // A file whose size is not known is shown as empty.
      let values = try? FileManager.default.attributesOfItem(atPath: path)
      return File(name: name, bytes: (values?[.size] as? NSNumber)?.intValue ?? 0)
    }
  }
}
