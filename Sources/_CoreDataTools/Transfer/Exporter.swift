// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Exports the objects of a store as records that can be imported.
///
/// Records refer to an object by its natural key or, if the object has no complete natural key, by `$id`.
/// Transient, derived and fetched properties are left out. A to-many is exported if it is ordered or has no
/// inverse. If both sides of a many-to-many relationship are unordered, the side that comes first in the
/// model is exported. Any other to-many is left out, because the exported inverse determines its members.
package struct Exporter {
  private let opened: OpenedStore
  private let keys: NaturalKeys
  /// Whether each element of a composite attribute has its own column, as CSV requires.
  private let dividesComposites: Bool
  private var model: ModelDefinition { opened.model }
  private static let blockSize = 500

  package init(_ opened: OpenedStore, keys: NaturalKeys, dividesComposites: Bool = false) {
    self.opened = opened
    self.keys = keys
    self.dividesComposites = dividesComposites
  }

  /// Returns the concrete entities in `chosen`, in the order of export; nil selects all entities.
  ///
  /// An entity with a mandatory to-one follows the destination entity and the subentities of the destination,
  /// unless mandatory to-ones form a cycle.
  package func order(_ chosen: Set<Int>?) -> [EntityDefinition] {
    var ordered: [Int] = []
    var state: [Int: Bool] = [:]
    func visit(_ index: Int) {
      if state[index] != nil { return }
      state[index] = false
      for slot in model.entities[index].toOneSlots
      where !model.entities[index].properties[slot].isOptional {
        guard let relationship = model.entities[index].properties[slot].relationship else {
          continue
        }
        for member in model.entities[relationship.destination].family { visit(member) }
      }
      ordered.append(index)
    }
    for entity in model.entities { visit(entity.index) }
    return ordered.filter { chosen?.contains($0) ?? true }.map { model.entities[$0] }
      .filter { !$0.isAbstract }
  }

  /// Returns the names of an entity's columns.
  ///
  /// The first column is `$entity` if `namesEntity` is true. The next column is `$id` if the entity has no
  /// natural key. The exported properties follow. A composite attribute has one column or, if the exporter
  /// divides composite attributes, a column for each element.
  package func columns(of entity: EntityDefinition, namesEntity: Bool) -> [String] {
    (namesEntity ? ["$entity"] : []) + (keys.key(of: entity.index) == nil ? ["$id"] : [])
      + slots(of: entity).flatMap { slot -> [String] in
        let property = entity.properties[slot]
        guard let elements = divided(property) else { return [property.name] }
        return elements.map { ([property.name] + $0.path).joined(separator: ".") }
      }
  }

  private func divided(_ property: PropertyDefinition) -> [CompositeElement]? {
    guard dividesComposites, let attribute = property.attribute, attribute.type == .composite else {
      return nil
    }
    return attribute.elements
  }

  private func slots(of entity: EntityDefinition) -> [Int] {
    entity.properties.filter { property in
      if property.isTransient || property.attribute?.derivation != nil { return false }
      return property.isStored || writesMembers(property, of: entity)
    }.map(\.slot)
  }

  private func writesMembers(_ property: PropertyDefinition, of entity: EntityDefinition) -> Bool {
    guard let relationship = property.relationship, relationship.isToMany else { return false }
    if relationship.isOrdered { return true }
    guard let slot = relationship.inverse else { return true }
    let inverse = model.entities[relationship.destination].properties[slot]
    guard let back = inverse.relationship, back.isToMany else { return false }
    if back.isOrdered { return false }
    return (property.declaringEntity, property.slot) <= (inverse.declaringEntity, inverse.slot)
  }

  /// Returns the number of objects of these entities.
  ///
  /// Objects of a subentity are counted only if the subentity is in `entities`.
  ///
  /// - Complexity: one statement for each entity.
  /// - Throws: `StoreError`.
  package func count(of entities: [EntityDefinition]) throws -> Int {
    try entities.reduce(0) { sum, entity in
      var description = FetchDescription(entity: entity.index)
      description.includesSubentities = false
      description.shape = .count
      guard case .count(let count) = try opened.rows.fetch(description) else { return sum }
      return sum + count
    }
  }

  /// Calls `row` with the values of each object of this entity, in the order of the primary keys.
  ///
  /// The values are those of the columns that `columns(of:namesEntity:)` returns. Objects of subentities are
  /// left out.
  /// - Complexity: a few statements for each block of 500 objects and for each to-many in a block. One block,
  ///   and a key of eight bytes for each object, are in memory.
  /// - Throws: `StoreError`, and the errors of `row`.
  package func forEach(
    _ entity: EntityDefinition,
    namesEntity: Bool,
    row: ([Value]) throws -> Void
  ) throws {
    var description = FetchDescription(entity: entity.index)
    description.includesSubentities = false
    description.shape = .keys
    guard case .keys(var found) = try opened.rows.fetch(description) else { return }
    found.sort { $0.number < $1.number }
    for start in stride(from: 0, to: found.count, by: Self.blockSize) {
      let block = Array(found[start..<min(start + Self.blockSize, found.count)])
      for values in try read(block, entity, namesEntity: namesEntity) { try row(values) }
    }
  }

  private func read(
    _ block: [ObjectKey],
    _ entity: EntityDefinition,
    namesEntity: Bool
  ) throws -> [[Value]] {
    let slots = slots(of: entity)
    var places: [Int64: Int] = [:]
    for (index, key) in block.enumerated() { places[key.number] = index }
    var values = [[Value]](
      repeating: [Value](repeating: .null, count: slots.count),
      count: block.count
    )
    try opened.rows.rows(for: block).forEach { key, chunk, row in
      guard let place = places[key.number] else { return }
      for (column, slot) in slots.enumerated() where entity.properties[slot].isStored {
        values[place][column] = chunk.value(row, slot)
      }
    }
    for (column, slot) in slots.enumerated() where entity.properties[slot].isToMany {
      let isOrdered = entity.properties[slot].relationship?.isOrdered ?? false
      for (place, members) in try opened.rows.members(of: block, slot: slot).enumerated() {
        let sorted = isOrdered ? members : members.sorted { $0.number < $1.number }
        values[place][column] = .collection(ValueCollection(.array, sorted.map(Value.key)))
      }
    }
    let names = try self.names(of: values.flatMap { $0 }.flatMap(Self.keys))
    return zip(block, values).map { key, row in
      var record: [Value] = namesEntity ? [.text(entity.name)] : []
      if keys.key(of: entity.index) == nil { record.append(.text(Self.id(key, in: model))) }
      return record
        + zip(slots, row).flatMap { slot, value -> [Value] in
          let property = entity.properties[slot]
          guard let elements = divided(property) else {
            return [written(property.read(value), names)]
          }
          return parts(value, elements.count).map(TransferValue.written)
        }
    }
  }

  private func parts(_ value: Value, _ count: Int) -> [Value] {
    guard case .data(let record) = value else { return [Value](repeating: .null, count: count) }
    let values = CompositeRecord.values(record)
    return (0..<count).map { $0 < values.count ? values[$0] : .null }
  }

  private static func keys(in value: Value) -> [ObjectKey] {
    switch value {
    case .key(let key): [key]
    case .collection(let collection): collection.members.flatMap(keys)
    default: []
    }
  }

  private static func id(_ key: ObjectKey, in model: ModelDefinition) -> String {
    "\(model.entities[key.entity].name)/p\(key.number)"
  }

  /// Returns the value by which records refer to each object; `identity(_:)` returns the keys of the result.
  ///
  /// If the natural key has one attribute, the value is that of the attribute. If the natural key has several
  /// attributes, the value is a dictionary. If the entity has no natural key, or an attribute of the natural
  /// key is null, the value is `{"$id": …}`.
  private func names(of targets: [ObjectKey]) throws -> [ObjectKey: Value] {
    var names: [ObjectKey: Value] = [:]
    let wanted = Set(targets)
    for key in wanted {
      names[identity(key)] = .dictionary(["$id": .text(Self.id(key, in: model))])
    }
    let keyed = wanted.filter { keys.key(of: $0.entity) != nil }.sorted { $0.raw < $1.raw }
    if keyed.isEmpty { return names }
    try opened.rows.rows(for: keyed).forEach { key, chunk, row in
      let entity = model.entities[key.entity]
      guard let natural = keys.key(of: key.entity) else { return }
      let values = natural.names.compactMap { name in
        entity.slotByName[name].map { (name, TransferValue.written(chunk.value(row, $0))) }
      }
      if values.contains(where: { $0.1.isNull }) { return }
      names[identity(key)] =
        values.count == 1
        ? values[0].1 : .dictionary(Dictionary(values) { first, _ in first })
    }
    return names
  }

  /// Returns the key with the root entity of its hierarchy.
  ///
  /// Two keys of the same row can have different entities of the hierarchy; with the root entity, they are
  /// equal.
  private func identity(_ key: ObjectKey) -> ObjectKey {
    key.with(entity: model.entities[key.entity].root)
  }

  private func written(_ value: Value, _ names: [ObjectKey: Value]) -> Value {
    switch value {
    case .key(let key): names[identity(key)] ?? .null
    case .collection(let collection):
      .collection(ValueCollection(.array, collection.members.map { written($0, names) }))
    default: TransferValue.written(value)
    }
  }
}
