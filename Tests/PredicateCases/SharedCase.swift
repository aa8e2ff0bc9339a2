// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Rows of the shared cases, read for a test.
package struct SharedCase {
  package let cells: [String: String]
  package subscript(column: String) -> String { cells[column] ?? "" }
  package var id: String { self["id"] }

  package static func all(
    _ name: String,
    where isWanted: (SharedCase) -> Bool
  ) throws -> [SharedCase] {
    try Shared.table(name).map(SharedCase.init).filter(isWanted)
  }

  package func json(_ column: String) throws -> JSON { try Shared.json(self[column]) }

  package var format: String { (try? json("format"))?.text ?? "" }

  /// The arguments of the row; texts and numbers to fit the placeholders where it has none.
  package func arguments(_ world: SampleWorld = SampleWorld()) throws -> [FormatArgument] {
    let given = cells["args"] == nil ? [] : try json("args").elements
    guard given.isEmpty else {
      return try given.map { argument in
        if let text = argument["$expr"]?.text { return .term(try Term(format: text)) }
        return .value(world.value(argument))
      }
    }
    return Self.placeholders(format)
  }

  private static func placeholders(_ format: String) -> [FormatArgument] {
    var result: [FormatArgument] = []
    var quote: Character?
    var isSign = false
    for character in format {
      if isSign {
        let isObject = character == "@" || character == "K"
        result.append(.value(isObject ? .text("x") : .int(1)))
        isSign = false
      } else if let open = quote {
        if character == open { quote = nil }
      } else if character == "'" || character == "\"" {
        quote = character
      } else {
        isSign = character == "%"
      }
    }
    return result
  }
}
