// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folder of cases that is not part of the package.
enum Shared {
  static let root: URL = {
    if let path = ProcessInfo.processInfo.environment["COREDATA_SHARED"] {
      return URL(fileURLWithPath: path)
    }
    let package = URL(fileURLWithPath: #filePath)
      .deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
    return package.deletingLastPathComponent().appendingPathComponent("shared")
  }()

  static let absent = "no shared cases: set COREDATA_SHARED"
  static let hasCases = FileManager.default.fileExists(
    atPath: root.appendingPathComponent("cases/cases.tsv").path
  )

  /// The rows of a file of cases, as dictionaries by column.
  static func table(_ name: String) throws -> [[String: String]] {
    let url = root.appendingPathComponent("cases/\(name)")
    let text = try String(contentsOf: url, encoding: .utf8)
    var lines = text.split(separator: "\n")[...]
    let header = lines.removeFirst().split(separator: "\t", omittingEmptySubsequences: false)
    return lines.map { line in
      let cells = line.split(separator: "\t", omittingEmptySubsequences: false)
      return Dictionary(uniqueKeysWithValues: zip(header.map(String.init), cells.map(String.init)))
    }
  }

  static func json(_ text: String) throws -> JSON {
    try JSONDecoder().decode(JSON.self, from: Data(text.utf8))
  }
}

/// JSON with its types kept apart.
enum JSON: Decodable, Hashable {
  case null
  case bool(Bool)
  case int(Int64)
  case double(Double)
  case text(String)
  case array([JSON])
  case object([String: JSON])

  init(from decoder: any Decoder) throws {
    let container = try decoder.singleValueContainer()
    if container.decodeNil() {
      self = .null
    } else if let flag = try? container.decode(Bool.self) {
      self = .bool(flag)
    } else if let number = try? container.decode(Int64.self) {
      self = .int(number)
    } else if let number = try? container.decode(Double.self) {
      self = .double(number)
    } else if let text = try? container.decode(String.self) {
      self = .text(text)
    } else if let array = try? container.decode([JSON].self) {
      self = .array(array)
    } else {
      self = .object(try container.decode([String: JSON].self))
    }
  }

  subscript(key: String) -> JSON? {
    if case .object(let members) = self { members[key] } else { nil }
  }
  var elements: [JSON] { if case .array(let elements) = self { elements } else { [] } }
  var text: String? { if case .text(let text) = self { text } else { nil } }
}
