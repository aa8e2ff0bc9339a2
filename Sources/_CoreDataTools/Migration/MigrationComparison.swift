// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// Compares the objects of a store before and after a migration.
///
/// Objects are matched by their primary keys. If both models have an attribute, its values must be equal,
/// except that the default value replaces nil in a mandatory attribute. An added attribute must have its
/// default value. If both models have a relationship, it must have the same destinations, apart from objects
/// of removed entities. The order of the destinations must be the same if the relationship is ordered in
/// both models. Derived attributes are not compared.
package final class MigrationComparison {
  /// One object or value that is not as expected.
  package struct Difference: Sendable, Equatable {
    /// The object's entity in the new model and its primary key, such as `Book/p1`.
    package let object: String
    /// The name of the property; nil if the object itself is missing or unexpected.
    package let property: String?
    package let text: String
  }

  /// The numbers of compared objects, values and links of one entity, and the number of differences found.
  package struct Tally: Sendable, Equatable {
    package let entity: String
    /// The name of the entity in the old model.
    package let source: String
    package internal(set) var objects = 0
    package internal(set) var values = 0
    package internal(set) var links = 0
    package internal(set) var differences = 0

    /// The word `was` and the entity's name in the old model; empty if the name is the same, or if the old
    /// model lacks the entity.
    var origin: String { source == entity || source.isEmpty ? "" : "was \(source)" }
  }

  private let mapping: ModelMapping
  private let before: any RowStore
  private let after: any RowStore
  package private(set) var tallies: [Tally] = []
  /// The first differences, at most 20 for each entity.
  package private(set) var differences: [Difference] = []
  private static let blockSize = 500
  private static let shownDifferences = 20

  /// Creates a comparison of a store `before` and `after` its migration.
  ///
  /// `before` must be opened with the source model of the mapping, and `after` with the destination model.
  package init(_ mapping: ModelMapping, before: any RowStore, after: any RowStore) {
    self.mapping = mapping
    self.before = before
    self.after = after
  }

  /// The number of all differences, including those that `differences` leaves out.
  package var count: Int { tallies.reduce(0) { $0 + $1.differences } }

  /// Compares all objects, and calls `progress` after each block of 500 objects.
  ///
  /// `progress` receives the number of objects compared so far.
  /// - Throws: `StoreError`.
  /// - Complexity: a few statements for each block and for each to-many in a block. The keys of one entity
  ///   and the rows of one block are in memory.
  package func run(progress: (Int) -> Void = { _ in }) throws {
    var done = 0
    for entity in mapping.destination.entities {
      guard !entity.isAbstract else { continue }
      let source = mapping.sourceEntities[entity.index].map { mapping.source.entities[$0] }
      try compare(source, entity) {
        done += $0
        progress(done)
      }
    }
  }

  private func keys(_ store: any RowStore, _ entity: Int) throws -> [ObjectKey] {
    var description = FetchDescription(entity: entity)
    description.includesSubentities = false
    description.shape = .keys
    guard case .keys(let keys) = try store.fetch(description) else { return [] }
    return keys.sorted { $0.number < $1.number }
  }

  private func compare(
    _ source: EntityDefinition?,
    _ entity: EntityDefinition,
    progress: (Int) -> Void
  ) throws {
    let olds = try source.map { try keys(before, $0.index) } ?? []
    let news = try keys(after, entity.index)
    if source == nil, news.isEmpty { return }
    tallies.append(Tally(entity: entity.name, source: source?.name ?? ""))
    let (oldNumbers, newNumbers) = (Set(olds.map(\.number)), Set(news.map(\.number)))
    for key in olds where !newNumbers.contains(key.number) {
      note("the object is missing", entity, key.number)
    }
    for key in news where !oldNumbers.contains(key.number) {
      note("the object does not exist in the store", entity, key.number)
    }
    guard let source else { return }
    let common = olds.filter { newNumbers.contains($0.number) }
    tallies[tallies.count - 1].objects = common.count
    for start in stride(from: 0, to: common.count, by: Self.blockSize) {
      let block = Array(common[start..<min(start + Self.blockSize, common.count)])
      try compare(block, source, entity)
      progress(block.count)
    }
  }

  private func note(
    _ text: String,
    of property: PropertyDefinition? = nil,
    _ entity: EntityDefinition,
    _ number: Int64
  ) {
    tallies[tallies.count - 1].differences += 1
    if tallies[tallies.count - 1].differences > Self.shownDifferences { return }
    differences.append(
      Difference(object: "\(entity.name)/p\(number)", property: property?.name, text: text)
    )
  }

  // MARK: Blocks of objects

  private func compare(
    _ olds: [ObjectKey],
    _ source: EntityDefinition,
    _ entity: EntityDefinition
  ) throws {
    let news = olds.map { $0.with(entity: entity.index) }
    let left = try rows(before, olds)
    let right = try rows(after, news)
    for property in entity.properties where !property.isTransient && !property.isFetched {
      if let attribute = property.attribute {
        if attribute.derivation != nil { continue }
        for key in olds {
          guard let old = left[key.number], let new = right[key.number] else { continue }
          compare(property, attribute, of: entity, key.number, old: old, new: new)
        }
      } else if let old = mapping.source(of: property.slot, in: entity.index) {
        let was = try links(of: olds, old, in: before, left)
        let now = try links(of: news, property, in: after, right)
        for (index, key) in olds.enumerated() {
          compare(was: was[index], now: now[index], property, from: old, of: entity, key.number)
        }
      }
    }
  }

  private typealias Row = (chunk: RowChunk, row: Int)

  private func rows(_ store: any RowStore, _ keys: [ObjectKey]) throws -> [Int64: Row] {
    var rows: [Int64: Row] = [:]
    try store.rows(for: keys).forEach { key, chunk, row in rows[key.number] = (chunk, row) }
    return rows
  }

  // MARK: Values

  private func compare(
    _ property: PropertyDefinition,
    _ attribute: AttributeDefinition,
    of entity: EntityDefinition,
    _ number: Int64,
    old: Row,
    new: Row
  ) {
    let source = mapping.source(of: property.slot, in: entity.index)
    let value = new.chunk.value(new.row, property.slot)
    let was = source.map { old.chunk.value(old.row, $0.slot) }
    let expected: Value
    let found: Value
    if attribute.type == .composite {
      (expected, found) = Self.composites(attribute, from: source?.attribute, was: was, value)
    } else if let was, !was.isNull || property.isOptional {
      (expected, found) = (was, value)
    } else {
      (expected, found) = (attribute.defaultValue, value)
    }
    tallies[tallies.count - 1].values += 1
    if Self.areEqual(expected, found) { return }
    note("\(Self.text(found)) instead of \(Self.text(expected))", of: property, entity, number)
  }

  // MARK: Links

  private func links(
    of keys: [ObjectKey],
    _ property: PropertyDefinition,
    in store: any RowStore,
    _ rows: [Int64: Row]
  ) throws -> [[ObjectKey]] {
    if property.isToMany { return try store.members(of: keys, slot: property.slot) }
    return keys.map { key in
      guard let row = rows[key.number],
        case .key(let destination) = row.chunk.value(row.row, property.slot)
      else { return [] }
      return [destination]
    }
  }

  private func compare(
    was: [ObjectKey],
    now: [ObjectKey],
    _ property: PropertyDefinition,
    from old: PropertyDefinition,
    of entity: EntityDefinition,
    _ number: Int64
  ) {
    let isOrdered =
      property.relationship?.isOrdered == true && old.relationship?.isOrdered == true
    let expected = was.compactMap(successor)
    let found = now.map { Destination(key: $0, in: mapping.destination) }
    tallies[tallies.count - 1].links += expected.count
    if isOrdered ? expected == found : Set(expected) == Set(found) { return }
    let missing = expected.filter { !found.contains($0) }
    let added = found.filter { !expected.contains($0) }
    var parts: [String] = []
    if !missing.isEmpty { parts.append("lost \(text(missing))") }
    if !added.isEmpty { parts.append("gained \(text(added))") }
    if parts.isEmpty { parts.append("the order differs") }
    note(parts.joined(separator: ", "), of: property, entity, number)
  }

  /// The destination of a link: the root entity and a number, which is unique in the hierarchy.
  private struct Destination: Hashable {
    let root: Int
    let number: Int64

    init(root: Int, number: Int64) {
      self.root = root
      self.number = number
    }

    init(key: ObjectKey, in model: ModelDefinition) {
      self.init(root: model.entities[key.entity].root, number: key.number)
    }
  }

  /// Returns the object in the new store that corresponds to `key` in the old store; nil if the entity was
  /// removed.
  private func successor(_ key: ObjectKey) -> Destination? {
    mapping.destinationEntities[key.entity].map {
      Destination(root: mapping.destination.entities[$0].root, number: key.number)
    }
  }

  private func text(_ destinations: [Destination]) -> String {
    let names = destinations.prefix(3).map {
      "\(mapping.destination.entities[$0.root].name)/p\($0.number)"
    }
    let more = destinations.count - names.count
    return names.joined(separator: ", ") + (more > 0 ? " and \(CellText.count(more)) more" : "")
  }
}
