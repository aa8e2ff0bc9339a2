// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel

/// Collects the results of the comparison after a migration with a mapping model, by entity mapping.
struct MappingFindings {
  private let model: ModelDefinition
  private(set) var tallies: [MigrationComparison.Tally] = []
  /// The first differences, at most 20 for each entity mapping.
  private(set) var differences: [MigrationComparison.Difference] = []
  /// The properties that were not compared, with their expressions, such as `NoteToNote: title = …`.
  private(set) var skipped: [String] = []
  private var last = ""
  private static let shownDifferences = 20

  /// `model` is the destination model.
  init(_ model: ModelDefinition) { self.model = model }

  mutating func begin(_ mapping: String, skipped names: [String]) {
    tallies.append(MigrationComparison.Tally(entity: mapping, source: mapping))
    skipped += names.map { "\(mapping): \($0)" }
    last = ""
  }

  /// Adds a finding about the object named `object`, such as `Note/p1`; all findings about one object must be
  /// added consecutively.
  mutating func add(_ finding: MappingComparison.Finding, _ object: String) {
    if object != last {
      tallies[tallies.count - 1].objects += 1
      last = object
    }
    switch finding {
    case .value(let property, let expected, let found):
      tallies[tallies.count - 1].values += 1
      if MigrationComparison.areEqual(expected, found) { return }
      let texts = (MigrationComparison.text(found), MigrationComparison.text(expected))
      note(object, property.name, "\(texts.0) instead of \(texts.1)")
    case .links(let property, let expected, let found):
      tallies[tallies.count - 1].links += expected.count
      let isOrdered = property.relationship?.isOrdered == true
      if isOrdered ? expected == found : Set(expected) == Set(found) { return }
      let missing = expected.filter { !found.contains($0) }
      let added = found.filter { !expected.contains($0) }
      var parts: [String] = []
      if !missing.isEmpty { parts.append("lost \(text(missing))") }
      if !added.isEmpty { parts.append("gained \(text(added))") }
      if parts.isEmpty { parts.append("the order differs") }
      note(object, property.name, parts.joined(separator: ", "))
    case .destinations(let source, let count):
      note(
        source,
        nil,
        "the mapping has \(CellText.count(count, "object")) for this source object instead of one"
      )
    }
  }

  private mutating func note(_ object: String, _ property: String?, _ text: String) {
    tallies[tallies.count - 1].differences += 1
    if tallies[tallies.count - 1].differences > Self.shownDifferences { return }
    differences.append(.init(object: object, property: property, text: text))
  }

  private func text(_ keys: [ObjectKey]) -> String {
    let names = keys.prefix(3).map { "\(model.entities[$0.entity].name)/p\($0.number)" }
    let more = keys.count - names.count
    return names.joined(separator: ", ") + (more > 0 ? " and \(CellText.count(more)) more" : "")
  }
}
