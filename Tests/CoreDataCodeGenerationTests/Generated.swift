// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataCodeGeneration
import _CoreDataModel

/// Generates from the text of a model file's entities.
enum Generated {
  static func draft(_ entities: String) throws -> ModelDraft {
    let xml = "<model>\n\(entities)\n</model>"
    return try ModelFile.draft(xml: Data(xml.utf8), file: "Shop/contents")
  }

  static func text(_ entities: String, access: AccessLevel = .public) throws -> String {
    try ModelSource(draft(entities), modelName: "Shop", access: access).text()
  }

  /// The lines of the declaration that begins with `start`, up to the brace that closes it.
  static func declaration(_ start: String, in text: String) -> String {
    let lines = text.components(separatedBy: "\n")
    guard let first = lines.firstIndex(where: { $0.drop { $0 == " " }.hasPrefix(start) }) else {
      return ""
    }
    let indent = lines[first].prefix { $0 == " " }
    let last = lines[first...].firstIndex { $0 == indent + "}" } ?? first
    return lines[first...last].map { String($0.dropFirst(indent.count)) }.joined(separator: "\n")
  }

  /// What the first error says, with its place; nil where the text is generated.
  static func refusal(_ entities: String) -> String? {
    do {
      _ = try text(entities)
      return nil
    } catch {
      return "\(error)"
    }
  }
}
