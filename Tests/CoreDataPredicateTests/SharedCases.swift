// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Foundation

/// Rows of the shared cases, read for a test.
struct SharedCase {
  let cells: [String: String]
  subscript(column: String) -> String { cells[column] ?? "" }
  var id: String { self["id"] }

  static func all(_ name: String, where isWanted: (SharedCase) -> Bool) throws -> [SharedCase] {
    try Shared.table(name).map(SharedCase.init).filter(isWanted)
  }

  func json(_ column: String) throws -> JSON { try Shared.json(self[column]) }

  var format: String { (try? json("format"))?.text ?? "" }

  /// The arguments of the row; texts and numbers to fit the placeholders where it has none.
  func arguments(_ world: SampleWorld = SampleWorld()) throws -> [FormatArgument] {
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

/// The data sets by name, made anew for each use.
struct SampleSets {
  private let sets: JSON
  init() throws {
    let url = Shared.root.appendingPathComponent("cases/datasets.json")
    sets = try Shared.json(String(contentsOf: url, encoding: .utf8))
  }

  func world(_ name: String) -> SampleWorld { sets[name].map(SampleWorld.init) ?? SampleWorld() }

  /// The world an `object` cell names, and what of it is evaluated.
  func subject(
    _ cell: JSON
  ) -> (world: SampleWorld, root: Value, candidates: [(id: JSON, value: Value)]) {
    guard let name = cell.text, name.hasPrefix("@") else {
      let world = SampleWorld()
      return (world, world.value(cell), cell.elements.map { ($0, world.value($0)) })
    }
    let parts = name.dropFirst().split(separator: "#")
    let world = self.world(String(parts[0]))
    guard parts.count == 2 else { return (world, .null, world.roots) }
    let root = world.roots.first { $0.id == .text(String(parts[1])) }
    return (world, root?.value ?? .null, world.roots)
  }
}
