// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// Counts the objects of a store that have no value for a property that is mandatory in the new model.
///
/// The migration sets an attribute without a value to the attribute's default value. It leaves a relationship
/// without a destination empty, so that validation fails when the object is changed and saved.
///
/// Source: documented, “Using lightweight migration”, which adds relationships without links.
struct MissingCount {
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

  /// Returns a note for each attribute that gets its default value in some objects, and for each mandatory
  /// relationship that has no destination in some objects.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: reads each table once for each of its entities and each such property.
  func notes() throws -> [Note] {
    try mapping.destination.entities.flatMap { entity in
      try entity.properties.compactMap { property in
        guard property.declaringEntity == entity.index, !property.isOptional else { return nil }
        return property.relationship == nil
          ? try filled(property, in: entity) : try empty(property, in: entity)
      }
    }
  }

  // MARK: Attributes

  private func filled(_ property: PropertyDefinition, in entity: EntityDefinition) throws -> Note? {
    guard let attribute = property.attribute, attribute.derivation == nil,
      attribute.type != .composite, !attribute.defaultValue.isNull
    else { return nil }
    let found = try objects(entity) { index, place in
      guard let source = mapping.source(of: property.slot, in: index),
        let column = place.column(source.slot)
      else { return nil }
      return isStored(column, in: place) ? "\(column.name) IS NULL" : nil
    }
    if found.count == 0 { return nil }
    return Note(
      kind: .filled,
      place: "\(entity.name).\(property.name)",
      text: "\(CellText.count(found.count, "object")) without a value "
        + "\(found.count == 1 ? "gets" : "get") the default “\(CellText.line(attribute.defaultValue))”",
      count: found.count,
      examples: found.examples
    )
  }

  // MARK: Relationships

  private func empty(_ property: PropertyDefinition, in entity: EntityDefinition) throws -> Note? {
    guard let relationship = property.relationship, !property.isTransient,
      property.isToOne || relationship.minCount > 0
    else { return nil }
    let found = try objects(entity) { index, place in
      if let source = mapping.source(of: property.slot, in: index) {
        // Objects without a destination were already invalid if the relationship was mandatory.
        guard property.isToOne, source.isOptional, let column = place.column(source.slot) else {
          return nil
        }
        return isStored(column, in: place) ? "\(column.name) IS NULL" : nil
      }
      // A new relationship gets its links from its inverse, unless the inverse is new too.
      let isInverseNew = relationship.inverse.map {
        mapping.source(of: $0, in: relationship.destination) == nil
      }
      return isInverseNew ?? true ? "1" : nil
    }
    if found.count == 0 { return nil }
    return Note(
      kind: .invalid,
      place: "\(entity.name).\(property.name)",
      text:
        "the relationship is mandatory, and \(CellText.count(found.count, "object")) will have no "
        + "destination",
      count: found.count,
      examples: found.examples
    )
  }

  // MARK: Objects

  private func isStored(_ column: PropertyColumn, in place: EntityLayout) -> Bool {
    schema.columns[place.table]?.contains(column.name) == true
  }

  /// Counts the objects of an entity and its subentities that satisfy a condition, and returns the first of
  /// these objects as examples.
  ///
  /// `condition` receives the index of an entity in the new model and the layout of its source entity. It
  /// returns an SQL condition, or nil if no object satisfies the condition.
  private func objects(
    _ entity: EntityDefinition,
    where condition: (Int, EntityLayout) -> String?
  ) throws -> (count: Int, examples: [String]) {
    var count = 0
    var examples: [String] = []
    for index in entity.family {
      let member = mapping.destination.entities[index]
      guard !member.isAbstract, let source = mapping.sourceEntities[index] else { continue }
      let place = layout.entities[source]
      guard schema.columns[place.table] != nil, let condition = condition(index, place) else {
        continue
      }
      let rows = "FROM \(place.table) WHERE Z_ENT = \(place.number) AND \(condition)"
      let number = Int(try file.integer("SELECT COUNT(*) \(rows)") ?? 0)
      if number == 0 { continue }
      count += number
      let limit = Self.exampleLimit - examples.count
      if limit == 0 { continue }
      examples += try file.rows("SELECT Z_PK \(rows) ORDER BY Z_PK LIMIT \(limit)")
        .map { "\(member.name)/p\($0[0].whole)" }
    }
    return (count, examples)
  }
}
