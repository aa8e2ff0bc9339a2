// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// What a store could not say of a fetch, done with the context's objects: choosing, sorting, cutting.
extension NSManagedObjectContext {
  /// Rows that are chosen from together, so that a limit ends the work early.
  private static let blockSize = 512

  /// The objects of a fetch of which the store says a part.
  ///
  /// - Complexity: one statement, and for each block of rows and each relationship that the rest of
  ///   the condition reads one for the members and one for some hundred rows.
  func remainder(
    _ divided: DividedFetch,
    of description: FetchDescription,
    in store: any RowOrigin,
    _ manner: FetchManner
  ) throws -> [NSManagedObject] {
    var stored = divided.stored
    stored.shape = .rows
    guard case .rows(let rows) = try store.fetch(stored) else { return [] }
    let prepared = divided.rest.map { PreparedCondition($0) }
    var reading = ReadPaths()
    if let rest = divided.rest { reading.add(rest) }
    for key in divided.order { reading.add(key) }
    // In the store's order no more rows are needed than the window holds.
    let window = FetchWindow(description)
    let wanted = divided.order.isEmpty ? window.needed : Int.max
    var chosen: [NSManagedObject] = []
    for block in rows.blocks(of: Self.blockSize) where chosen.count < wanted {
      let objects = register(block, refreshing: manner.refreshes)
      let read = try graph.load(reading.paths, of: objects)
      try withExtendedLifetime(read) {
        guard let prepared else { return chosen += objects }
        for object in objects where try prepared.holds(for: .object(object)) {
          chosen.append(object)
        }
      }
    }
    if !divided.order.isEmpty {
      chosen = try SortOrder(divided.order).sorted(chosen) { .object($0) }
    }
    chosen = window.cut(chosen)
    if manner.realizes { for object in chosen { graph.realizeFromRow(object) } }
    return chosen
  }

  /// The keys of the same, as the store has the values: unsaved changes are left out.
  func storedRemainder(
    _ divided: DividedFetch,
    of description: FetchDescription,
    in store: any RowOrigin
  ) throws -> [ObjectKey] {
    guard let coordinator else { return [] }
    let scratch = NSManagedObjectContext(concurrencyType: concurrencyType)
    scratch.persistentStoreCoordinator = coordinator
    return try withExtendedLifetime(scratch) {
      try scratch.remainder(divided, of: description, in: store, FetchManner()).map(\.key)
    }
  }

  // MARK: Dictionaries

  /// The rows of a dictionary fetch of which the store says a part: first the objects' keys, then the
  /// columns of their rows.
  ///
  /// - Throws: `failure` where a column, a group or a HAVING is what cannot be said.
  func remainingDictionaries(
    _ description: FetchDescription,
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
    if divided.rest == nil && divided.order.isEmpty { throw failure }
    if divided.order.isEmpty {
      divided.stored.order = []
      let keys = try storedRemainder(divided, of: objects, in: store)
      var columns = description
      columns.condition = .isMember(keys)
      return try dictionaryRows(columns, in: store, failure)
    }
    // A sort that only memory knows: the keys in order, then the columns put into the same order.
    guard shape.isPlain else { throw failure }
    let keys = try storedRemainder(divided, of: objects, in: store)
    var columns = description
    var keyed = shape
    keyed.isDistinct = false
    keyed.columns.append(DictionaryShape.Column(name: "", term: .keyPath("self")))
    columns.shape = .dictionaries(keyed)
    columns.condition = .isMember(keys)
    columns.order = []
    columns.limit = 0
    columns.offset = 0
    return shape.arranged(
      try dictionaryRows(columns, in: store, failure),
      by: keys,
      cutTo: FetchWindow(description)
    )
  }

  private func dictionaryRows(
    _ description: FetchDescription,
    in store: any RowOrigin,
    _ failure: StoreError
  ) throws -> [[Value]] {
    do {
      guard case .dictionaries(let rows) = try store.fetch(description) else { return [] }
      return rows
    } catch let error as StoreError where error.code == .unsayable {
      throw failure
    }
  }
  /// The rows of a dictionary fetch from several stores: groups, order and window are those of all
  /// objects together, as stored.
  ///
  /// - Complexity: one statement a store, and those of the relationships read; an object for each row
  ///   that matches.
  func unitedRows(
    _ description: FetchDescription,
    _ shape: DictionaryShape,
    of stores: [any RowOrigin]
  ) throws -> [[Value]] {
    guard let coordinator else { return [] }
    var matching = description
    matching.shape = .rows
    (matching.order, matching.limit, matching.offset) = ([], 0, 0)
    let names = Set(shape.columns.map(\.name))
    let order = description.order.filter { !names.contains($0.keyPath) }
    var reading = ReadPaths()
    for key in order { reading.add(key) }
    for term in shape.columns.map(\.term) + shape.groupBy { reading.add(term) }
    let scratch = NSManagedObjectContext(concurrencyType: concurrencyType)
    scratch.persistentStoreCoordinator = coordinator
    return try withExtendedLifetime(scratch) {
      let objects = try stores.flatMap { try scratch.read($0, matching, FetchManner()) }
      let read = try scratch.graph.load(reading.paths, of: objects)
      return try withExtendedLifetime(read) {
        let sorted = try SortOrder(order).sorted(objects) { .object($0) }
        let rows = try MemoryDictionaries(shape: shape, order: description.order).rows(sorted)
        return FetchWindow(description).cut(rows)
      }
    }
  }
}
