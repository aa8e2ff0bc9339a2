// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// Counts the objects whose values violate a uniqueness constraint that only the new model has.
struct ConstraintCount {
  typealias Note = MigrationForecast.Note

  private let mapping: ModelMapping
  private let layout: Layout
  private let schema: StoredSchema
  private let file: StoreFile
  private static let exampleLimit = 3

  /// - Throws: `StoreError` if the schema of the file cannot be read.
  init(_ plan: MigrationPlan, _ file: StoreFile) throws {
    mapping = plan.mapping
    layout = plan.source
    schema = try file.schema()
    self.file = file
  }

  /// Returns a note for each new constraint that objects violate.
  ///
  /// - Throws: `StoreError`.
  func notes() throws -> [Note] {
    try mapping.destination.entities.flatMap { entity in
      try entity.ownUniquenessConstraints.compactMap { names in
        isKnown(names, of: entity) ? nil : try note(names, of: entity)
      }
    }
  }

  /// Whether no object can violate the constraint, because the old model has the same constraint or lacks the
  /// entity.
  private func isKnown(_ names: [String], of entity: EntityDefinition) -> Bool {
    guard let source = mapping.sourceEntities[entity.index] else { return true }
    let before = names.map { name in
      entity.slotByName[name].flatMap { mapping.source(of: $0, in: entity.index)?.name }
    }
    return mapping.source.entities[source].ownUniquenessConstraints.contains {
      $0.map(Optional.some) == before
    }
  }

  private func note(_ names: [String], of entity: EntityDefinition) throws -> Note? {
    var bindings: [Binding] = []
    let selections = entity.family.compactMap { selection(names, in: $0, &bindings) }
    if selections.isEmpty { return nil }
    let columns = names.indices.map { "V\($0)" }
    let list = columns.joined(separator: ", ")
    // A unique index treats nulls as different values. Source: SQLite, “CREATE INDEX”, “Unique Indexes”.
    let isSet = columns.map { "\($0) IS NOT NULL" }.joined(separator: " AND ")
    let groups =
      "SELECT COUNT(*) AS N, MIN(K) AS FIRST, MAX(K) AS LAST, \(list) FROM "
      + "(\(selections.joined(separator: " UNION ALL "))) WHERE \(isSet) GROUP BY \(list) "
      + "HAVING COUNT(*) > 1"
    let total = try file.rows("SELECT COUNT(*), SUM(N) FROM (\(groups))", bindings).first
    guard let total, total[0].whole > 0 else { return nil }
    let rows = try file.rows(
      "SELECT * FROM (\(groups)) ORDER BY N DESC, FIRST LIMIT \(Self.exampleLimit)",
      bindings
    )
    let count = Int(total[1].whole)
    return Note(
      kind: .refusal,
      place: "\(entity.name): \(names.joined(separator: ", "))",
      text: "the uniqueness constraint is violated: \(CellText.count(count, "object")) "
        + "share \(CellText.count(Int(total[0].whole), "value"))",
      count: count,
      examples: rows.map { row in
        let values = zip(names, row.dropFirst(3)).map { name, value in
          let kind = entity.slotByName[name].map { entity.rowLayout.kinds[$0] } ?? .text
          return "\(name) = \(StoredText.text(of: value, kind))"
        }
        return "\(CellText.count(Int(row[0].whole), "object")) with "
          + "\(values.joined(separator: ", ")): \(entity.name)/p\(row[1].whole) … p\(row[2].whole)"
      }
    )
  }

  /// Returns a statement that selects the keys and values of an entity's rows; nil if the file has no table
  /// for the entity, or if a value is null in all rows.
  private func selection(
    _ names: [String],
    in index: Int,
    _ bindings: inout [Binding]
  ) -> String? {
    let entity = mapping.destination.entities[index]
    guard let source = mapping.sourceEntities[index] else { return nil }
    let place = layout.entities[source]
    if schema.columns[place.table] == nil { return nil }
    var added: [Binding] = []
    var values: [String] = []
    for (position, name) in names.enumerated() {
      guard let slot = entity.slotByName[name],
        let value = value(entity.properties[slot], of: entity, place, &added)
      else { return nil }
      values.append("\(value) AS V\(position)")
    }
    bindings += added
    return "SELECT Z_PK AS K, \(values.joined(separator: ", ")) FROM \(place.table) "
      + "WHERE Z_ENT = \(place.number)"
  }

  /// Returns an expression for a property's value after the migration; nil if the value is null in all rows.
  private func value(
    _ property: PropertyDefinition,
    of entity: EntityDefinition,
    _ place: EntityLayout,
    _ bindings: inout [Binding]
  ) -> String? {
    let filling = property.attribute.flatMap { Self.binding($0.defaultValue) }
    let column = mapping.source(of: property.slot, in: entity.index)
      .flatMap { place.column($0.slot)?.singleName }
    guard let column, schema.columns[place.table]?.contains(column) == true else {
      guard let filling else { return nil }
      bindings.append(filling)
      return "?"
    }
    guard !property.isOptional, let filling else { return column }
    bindings.append(filling)
    return "COALESCE(\(column), ?)"
  }

  private static func binding(_ value: Value) -> Binding? {
    switch value {
    case .int(let number): .integer(number)
    case .bool(let flag): .integer(flag ? 1 : 0)
    case .double(let number), .date(let number): .double(number)
    case .text(let text): .text(text)
    case .url(let url): .text(url.absoluteString)
    default: nil
    }
  }
}
