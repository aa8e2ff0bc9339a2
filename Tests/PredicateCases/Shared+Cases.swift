// SPDX-License-Identifier: Apache-2.0

import Foundation
@_exported import SharedFolder

/// The cases of the shared folder.
extension Shared {
  package static let hasCases = FileManager.default.fileExists(
    atPath: root.appendingPathComponent("cases/cases.tsv").path
  )

  /// The rows of a file of cases, as dictionaries by column.
  package static func table(_ name: String) throws -> [[String: String]] {
    let url = root.appendingPathComponent("cases/\(name)")
    let text = try String(contentsOf: url, encoding: .utf8)
    var lines = text.split(separator: "\n")[...]
    let header = lines.removeFirst().split(separator: "\t", omittingEmptySubsequences: false)
    return lines.map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      return Dictionary(uniqueKeysWithValues: zip(header.map(String.init), cells.map(String.init)))
    }
  }

  package static func json(_ text: String) throws -> JSON {
    try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
  }
}
