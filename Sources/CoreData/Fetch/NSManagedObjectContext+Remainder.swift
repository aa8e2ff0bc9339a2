// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import CoreDataPredicate
import CoreDataStore

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
    realizing: Bool
  ) throws -> [NSManagedObject] {
    var stored = divided.stored
    stored.shape = .rows
    guard case .rows(let rows) = try store.fetch(stored) else { return [] }
    let prepared = divided.rest.map { PreparedCondition($0) }
    var reading = ReadPaths()
    if let rest = divided.rest { reading.add(rest) }
    for key in divided.order { reading.add(key) }
    // In the store's order no more rows are needed than the window holds.
    let wanted =
      divided.order.isEmpty && description.limit > 0
      ? description.offset + description.limit : Int.max
    var chosen: [NSManagedObject] = []
    for block in rows.blocks(of: Self.blockSize) where chosen.count < wanted {
      let objects = register(block, realizing: false)
      let read = try prefetch(reading.paths, of: objects)
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
    chosen = Array(chosen.dropFirst(description.offset))
    if description.limit > 0 { chosen = Array(chosen.prefix(description.limit)) }
    if realizing { for object in chosen { graph.realizeFromRow(object) } }
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
      try scratch.remainder(divided, of: description, in: store, realizing: false).map(\.key)
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
    var byKey: [ObjectKey: [Value]] = [:]
    for row in try dictionaryRows(columns, in: store, failure) {
      if case .key(let key)? = row.last { byKey[key] = row.dropLast() }
    }
    var rows = keys.compactMap { byKey[$0] }
    if shape.isDistinct {
      var seen: Set<[Constant]> = []
      rows = rows.filter { seen.insert($0.map(Constant.init)).inserted }
    }
    rows = Array(rows.dropFirst(description.offset))
    return description.limit > 0 ? Array(rows.prefix(description.limit)) : rows
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
}

extension DictionaryShape {
  /// Whether each row of the result is one object's.
  fileprivate var isPlain: Bool {
    groupBy.isEmpty && having == nil
      && !columns.contains { column in
        guard case .function(let selector, _, _) = column.term else { return false }
        return ["sum:", "count:", "min:", "max:", "average:"].contains(selector)
      }
  }
}

extension Condition {
  fileprivate static func isMember(_ keys: [ObjectKey]) -> Condition {
    let list = Value.collection(ValueCollection(.set, keys.map(Value.key)))
    return .comparison(Comparison(.evaluatedObject, .in, .constant(Constant(list))))
  }
}

extension FetchedRows {
  /// The same rows in their order, some at a time.
  fileprivate func blocks(of size: Int) -> [FetchedRows] {
    var blocks: [FetchedRows] = []
    forEach { key, chunk, row in
      if blocks.last.map({ $0.keys.count == size }) ?? true { blocks.append(FetchedRows()) }
      let at = blocks.count - 1
      blocks[at].keys.append(key)
      if let last = blocks[at].runs.last, last.chunk === chunk, last.first + last.count == row {
        blocks[at].runs[blocks[at].runs.count - 1].count += 1
      } else {
        blocks[at].runs.append(FetchedRows.Run(chunk: chunk, first: row, count: 1))
      }
    }
    return blocks
  }
}
