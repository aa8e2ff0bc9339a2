// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Fetches whose results are dictionaries, which show only saved values.
extension FetchSession {
  func dictionaries() throws -> [NSDictionary] {
    guard case .dictionaries(let shape) = description.shape else { return [] }
    let transformables = transformables(among: shape)
    return try dictionaryRows(shape).map { dictionary(shape, $0, transformables) }
  }

  /// Returns the rows of the dictionaries, combined from all stores.
  func dictionaryRows(_ shape: DictionaryShape) throws -> [[Value]] {
    let origins = try origins()
    if origins.count > 1 { return try unitedRows(shape, of: origins) }
    guard let origin = origins.first else { return [] }
    do {
      guard case .dictionaries(let rows) = try origin.fetch(description) else { return [] }
      return rows
    } catch let error as StoreError where error.code == .inexpressible {
      return try remainingRows(shape, in: origin, failure: error)
    }
  }

  /// Returns the transformable attributes among the columns, by column position.
  private func transformables(among shape: DictionaryShape) -> [Int: PropertyDefinition] {
    let entities = registry.model.entities
    var found: [Int: PropertyDefinition] = [:]
    for (position, column) in shape.columns.enumerated() {
      guard case .keyPath(let path) = column.term else { continue }
      var owner = entities[description.entity]
      for key in path.split(separator: ".") {
        guard let property = owner.property(named: String(key)) else { break }
        if property.attribute?.type == .transformable { found[position] = property }
        if let relationship = property.relationship { owner = entities[relationship.destination] }
      }
    }
    return found
  }

  private func dictionary(
    _ shape: DictionaryShape,
    _ row: [Value],
    _ transformables: [Int: PropertyDefinition]
  ) -> NSDictionary {
    let dictionary = NSMutableDictionary()
    for (position, (column, value)) in zip(shape.columns, row).enumerated() {
      if case .key(let key) = value {
        dictionary[column.name] = context.id(for: key)
      } else if let property = transformables[position], case .data(let data) = value {
        dictionary[column.name] = Transformable.object(from: data, property) ?? data
      } else if let any = value.any {
        dictionary[column.name] = any
      }
    }
    return dictionary
  }

  // MARK: Fetches that a store can express only in part

  /// Returns the rows of a fetch that the store can express only in part: the keys of the matching rows are
  /// fetched first, then the columns.
  ///
  /// A fetch whose condition and HAVING clause together exceed the limits of one statement is divided as
  /// well.
  ///
  /// - Throws: `failure` if the fetch cannot be divided in this way.
  private func remainingRows(
    _ shape: DictionaryShape,
    in store: any RowOrigin,
    failure: StoreError
  ) throws -> [[Value]] {
    var objects = description
    objects.shape = .rows
    objects.limit = 0
    objects.offset = 0
    let names = Set(shape.columns.map(\.name))
    objects.order = description.order.filter { !names.contains($0.keyPath) || shape.isPlain }
    var divided = try store.divided(objects)
    if divided.rest == nil && divided.order.isEmpty && shape.having == nil { throw failure }
    let matching = session(objects, options)
    var columns = description
    if divided.order.isEmpty {
      divided.stored.order = []
      columns.condition = .isMember(try matching.storedRemainder(divided, in: store))
      return try rows(columns, in: store, failure)
    }
    // The order can only be evaluated in memory, so the keys are fetched in order first. The columns are
    // fetched next and arranged in the same order.
    guard shape.isPlain else { throw failure }
    let keys = try matching.storedRemainder(divided, in: store)
    var keyed = shape
    keyed.isDistinct = false
    keyed.columns.append(DictionaryShape.Column(name: "", term: .keyPath("self")))
    columns.shape = .dictionaries(keyed)
    columns.condition = .isMember(keys)
    columns.order = []
    columns.limit = 0
    columns.offset = 0
    return shape.arranged(
      try rows(columns, in: store, failure),
      by: keys,
      cutTo: FetchWindow(description)
    )
  }

  private func rows(
    _ columns: FetchDescription,
    in store: any RowOrigin,
    _ failure: StoreError
  ) throws -> [[Value]] {
    do {
      guard case .dictionaries(let rows) = try store.fetch(columns) else { return [] }
      return rows
    } catch let error as StoreError where error.code == .inexpressible {
      throw failure
    }
  }

  /// Returns the rows of several stores, with grouping, order and window applied to the saved values of all
  /// objects together.
  ///
  /// - Complexity: one statement for each store, plus the statements for the relationships that are read; one
  ///   object for each matching row.
  private func unitedRows(
    _ shape: DictionaryShape,
    of origins: [any RowOrigin]
  ) throws -> [[Value]] {
    var matching = description
    matching.shape = .rows
    (matching.order, matching.limit, matching.offset) = ([], 0, 0)
    let names = Set(shape.columns.map(\.name))
    let order = description.order.filter { !names.contains($0.keyPath) }
    var reading = ReadPaths()
    for key in order { reading.add(key) }
    for term in shape.columns.map(\.term) + shape.groupBy { reading.add(term) }
    return try withScratchSession(matching) { scratch -> [[Value]] in
      let objects = try origins.flatMap { try scratch.read($0) }
      let read = try scratch.graph.load(reading.paths, of: objects)
      return try withExtendedLifetime(read) {
        let sorted = try SortOrder(order).sorted(objects) { .object($0) }
        let rows = try MemoryDictionaries(shape: shape, order: description.order).rows(sorted)
        return FetchWindow(description).cut(rows)
      }
    } ?? []
  }
}
