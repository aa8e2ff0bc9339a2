// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL

/// Counts the objects, values and links of a store that a migration would lose.
///
/// Null values, derived values, and the links of a relationship whose destination entities are all lost are
/// not counted.
struct LossCount {
  typealias Note = MigrationForecast.Note

  let mapping: ModelMapping
  let layout: Layout
  let schema: StoredSchema
  let file: StoreFile
  private let lostColumns: [(table: String, column: String)]
  private static let exampleLimit = 3

  /// - Throws: `StoreError` if the schema of the file cannot be read.
  init(_ plan: MigrationPlan, _ file: StoreFile) throws {
    mapping = plan.mapping
    layout = plan.source
    lostColumns = plan.lostColumns
    schema = try file.schema()
    self.file = file
  }

  /// Returns a note for each loss of objects, values, links or an order, and for each relationship that may
  /// lose links.
  ///
  /// - Throws: `StoreError`.
  func notes() throws -> [Note] {
    var notes = try mapping.source.entities.compactMap(removedEntity)
    for lost in lostProperties() { notes += try self.notes(of: lost) }
    for entity in mapping.destination.entities { notes += try changes(in: entity) }
    notes += try UnknownColumns(file).notes(of: lostColumns, "the migration drops its table")
    return notes
  }

  func note(_ place: String, _ text: String, count: Int, examples: [String] = []) -> Note {
    Note(kind: .loss, place: place, text: text, count: count, examples: examples)
  }

  // MARK: Entities

  private func removedEntity(_ entity: EntityDefinition) throws -> Note? {
    let place = layout.entities[entity.index]
    guard mapping.destinationEntities[entity.index] == nil, !entity.isAbstract,
      schema.columns[place.table] != nil
    else { return nil }
    let condition = "Z_ENT = \(place.number)"
    let count = try self.count(place.table, condition)
    if count == 0 { return nil }
    let keys = try file.rows(
      "SELECT Z_PK FROM \(place.table) WHERE \(condition) LIMIT \(Self.exampleLimit)"
    )
    return note(
      entity.name,
      "the new model lacks the entity, and the store has \(CellText.count(count, "object")) of it",
      count: count,
      examples: keys.map { "\(entity.name)/p\($0[0].whole)" }
    )
  }

  func count(_ table: String, _ condition: String) throws -> Int {
    Int(try file.integer("SELECT COUNT(*) FROM \(table) WHERE \(condition)") ?? 0)
  }

  // MARK: Properties

  private struct Lost {
    let property: PropertyDefinition
    var entities: [EntityDefinition]
  }

  /// Returns the lost properties of entities that the new model still has.
  ///
  /// A property that several entities inherit is returned once.
  private func lostProperties() -> [Lost] {
    var found: [Lost] = []
    for entity in mapping.source.entities {
      guard let destination = mapping.destinationEntities[entity.index] else { continue }
      let kept = Set(mapping.sourceSlots[destination].compactMap(\.self))
      for property in entity.properties
      where !property.isTransient && !property.isFetched && !kept.contains(property.slot)
        && property.attribute?.derivation == nil
      {
        let index = found.firstIndex {
          $0.property.declaringEntity == property.declaringEntity
            && $0.property.slot == property.slot
        }
        if let index {
          found[index].entities.append(entity)
        } else {
          found.append(Lost(property: property, entities: [entity]))
        }
      }
    }
    return found
  }

  private func notes(of lost: Lost) throws -> [Note] {
    if lost.property.attribute != nil {
      guard let column = layout.entities[lost.entities[0].index].column(lost.property.slot) else {
        return []
      }
      let name = "\(owner(of: lost.property)).\(lost.property.name)"
      let values = column.parts.isEmpty ? [column] : column.parts.map(\.column)
      guard var note = try self.values(of: values, in: lost.entities, name) else { return [] }
      note.hint = renamingHint(for: lost.property)
      return [note]
    }
    return try [links(of: lost)].compactMap(\.self)
  }

  /// Returns a hint that a lost attribute may have been renamed.
  ///
  /// The entity must have lost exactly one attribute of this type and gained exactly one with a similar name;
  /// otherwise the result is nil.
  private func renamingHint(for property: PropertyDefinition) -> String? {
    guard let type = property.attribute?.type,
      let index = mapping.destinationEntities[property.declaringEntity]
    else { return nil }
    let kept = Set(mapping.sourceSlots[index].compactMap(\.self))
    let lost = mapping.source.entities[property.declaringEntity].properties.filter {
      $0.attribute?.type == type && $0.isStored && !kept.contains($0.slot)
    }
    let entity = mapping.destination.entities[index]
    let added = entity.properties.filter {
      $0.attribute?.type == type && $0.isStored && $0.attribute?.derivation == nil
        && mapping.sourceSlots[index][$0.slot] == nil
    }
    guard lost.count == 1, added.count == 1,
      SimilarNames.areSimilar(property.name, added[0].name)
    else { return nil }
    return
      "\(entity.name).\(added[0].name) (\(type.traits.modelFileName)) is new: if it is the same "
      + "attribute, set its renaming identifier to “\(property.name)”"
  }

  func owner(of property: PropertyDefinition) -> String {
    mapping.source.entities[property.declaringEntity].name
  }

  func values(
    of columns: [PropertyColumn],
    in entities: [EntityDefinition],
    _ name: String
  ) throws -> Note? {
    let table = layout.entities[entities[0].index].table
    let stored = columns.filter { schema.columns[table]?.contains($0.name) == true }
    if stored.isEmpty { return nil }
    let isSet = stored.map { "\($0.name) IS NOT NULL" }.joined(separator: " OR ")
    let condition = "\(isEntity(entities)) AND (\(isSet))"
    // Only the values of a single numeric column are compared with 0; otherwise the second result is NULL.
    let isNumber = stored.count == 1 && [.integer, .boolean, .double].contains(stored[0].kind)
    let others = isNumber ? "SUM(\(stored[0].name) <> 0)" : "NULL"
    let counts = try file.rows("SELECT COUNT(*), \(others) FROM \(table) WHERE \(condition)")
    let count = Int(counts.first?[0].whole ?? 0)
    if count == 0 { return nil }
    let names = stored.map(\.name).joined(separator: ", ")
    let rows = try file.rows(
      "SELECT Z_PK, Z_ENT, \(names) FROM \(table) WHERE \(condition) LIMIT \(Self.exampleLimit)"
    )
    var note = note(
      name,
      "the new model lacks the attribute, and \(CellText.count(count, "object")) "
        + "\(count == 1 ? "has" : "have") a value",
      count: count,
      examples: rows.map { row in
        let values = zip(stored, row.dropFirst(2)).map {
          StoredText.text(of: $1, $0, store: file.path)
        }
        return "\(object(row[0].whole, row[1].whole)): \(values.joined(separator: ", "))"
      }
    )
    if isNumber, case .integer(0)? = counts.first?[1] {
      note.commonValue = stored[0].kind == .boolean ? "false" : "0"
    }
    return note
  }

  private func object(_ number: Int64, _ entity: Int64) -> String {
    let name = layout.entityByNumber[entity].map { mapping.source.entities[$0].name } ?? "?"
    return "\(name)/p\(number)"
  }

  private func isEntity(_ entities: [EntityDefinition]) -> String {
    let numbers = entities.map { String(layout.entities[$0.index].number) }
    return "Z_ENT IN (\(numbers.joined(separator: ", ")))"
  }

  // MARK: Links

  private func links(of lost: Lost) throws -> Note? {
    guard let relationship = lost.property.relationship else { return nil }
    let family = mapping.source.entities[relationship.destination].family
    let left = family.filter { mapping.destinationEntities[$0] != nil }
    // If all destination entities are lost, their objects are counted instead of the links.
    if left.isEmpty { return nil }
    var name = "\(owner(of: lost.property)).\(lost.property.name)"
    if let slot = relationship.inverse {
      let inverse = mapping.source.entities[relationship.destination].properties[slot]
      let isKept = left.allSatisfy { index in
        mapping.destinationEntities[index].map { mapping.sourceSlots[$0].contains(slot) } ?? false
      }
      // The inverse has the same links. If it is kept, no link is lost; if it is lost too, the links are
      // counted once.
      let isSecond =
        (inverse.declaringEntity, inverse.slot)
        < (lost.property.declaringEntity, lost.property.slot)
      if isKept || isSecond { return nil }
      name += " and \(owner(of: inverse)).\(inverse.name)"
    }
    let count = try countLinks(of: lost)
    if count == 0 { return nil }
    return note(
      name,
      "the new model lacks the relationship, and the store has \(CellText.count(count, "link"))",
      count: count
    )
  }

  private func countLinks(of lost: Lost) throws -> Int {
    let place = layout.entities[lost.entities[0].index]
    if let column = place.column(lost.property.slot) {
      guard schema.columns[place.table]?.contains(column.name) == true else { return 0 }
      return try count(place.table, "\(isEntity(lost.entities)) AND \(column.name) IS NOT NULL")
    }
    guard let members = place.members[lost.property.slot],
      schema.columns[members.table]?.contains(members.ownerColumn) == true
    else { return 0 }
    return try count(
      members.table,
      "\(members.ownerColumn) IN (SELECT Z_PK FROM \(place.table) WHERE \(isEntity(lost.entities)))"
    )
  }
}
