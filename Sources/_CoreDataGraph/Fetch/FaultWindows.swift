// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Which faults of batched fetches get their rows together.
///
/// A fault without a row keeps its place among the faults of its fetch where a realised object keeps
/// its row number, so that a batch costs the faults nothing. The keys of the newest fetches are held; a
/// fault of an older one gets its row alone. Source: docs/decisions/0006-batched-fetches.md.
package struct FaultWindows {
  /// Faults that get their rows together.
  struct Batch {
    let keys: ArraySlice<ObjectKey>
    /// Key paths whose destinations come with the rows.
    let paths: Set<[String]>
    let realizes: Bool
  }
  private struct Window {
    /// The place of the first key.
    let start: Int
    let keys: [ObjectKey]
    let size: Int
    let paths: Set<[String]>
    let realizes: Bool
  }
  private var windows: [Window] = []
  private var next = 1
  private static let limit = 16

  package init() {}

  /// Takes the keys of a fetch, in order, and gives the place of the first.
  ///
  /// `size` is at least 1.
  package mutating func open(
    _ keys: [ObjectKey],
    size: Int,
    paths: Set<[String]> = [],
    realizes: Bool = false
  ) -> Int {
    // Places are 32 bits wide; faults that carry one of before are told by their keys.
    if next + keys.count > Int(Int32.max) { (windows, next) = ([], 1) }
    let start = next
    next += keys.count
    if keys.count >= Int(Int32.max) { return 0 }
    if windows.count == Self.limit { windows.removeFirst() }
    windows.append(
      Window(start: start, keys: keys, size: max(1, size), paths: paths, realizes: realizes)
    )
    return start
  }

  /// Forgets all fetches.
  mutating func close() { windows = [] }

  /// The batch of the fault with that key at that place; nil where it is not known any more.
  func batch(of key: ObjectKey, at place: Int) -> Batch? {
    guard place > 0,
      let window = windows.last(where: { $0.start <= place }),
      place - window.start < window.keys.count, window.keys[place - window.start] == key
    else { return nil }
    let first = (place - window.start) / window.size * window.size
    return Batch(
      keys: window.keys[first..<min(first + window.size, window.keys.count)],
      paths: window.paths,
      realizes: window.realizes
    )
  }
}

extension ObjectGraph {
  /// Lets a fault get its row together with its neighbours; nothing where it has one.
  package func join(_ object: GraphObject, at place: Int) {
    if object.chunk == nil, object.flags.contains(.fault) { object.place(at: nil, row: place) }
  }

  /// Gives the faults of the object's batch their rows.
  ///
  /// - Returns: false where the object is in no batch, or the store has no row for it.
  /// - Complexity: one statement, and those of the batch's prefetching.
  func loadBatch(of object: GraphObject) throws -> Bool {
    guard !ignoresRowsAtHand,
      let batch = windows.batch(of: object.key, at: object.rowIndex)
    else { return false }
    let waiting = batch.keys.compactMap { key -> GraphObject? in
      guard key.store == object.key.store, key.isTemporary == object.key.isTemporary,
        let member = registry.object(for: key)
      else { return nil }
      return member.chunk == nil && member.flags.contains(.fault) ? member : nil
    }
    let rows = try host.loadRows(waiting.map(\.key))
    rows.forEach { key, chunk, row in
      guard let member = registry.object(for: key), member.chunk == nil else { return }
      if key != member.key { member.key = key }
      fill(member, from: chunk, row: row)
    }
    let loaded = waiting.filter { $0.chunk != nil }
    if !batch.paths.isEmpty { try prefetch(batch.paths, of: loaded) }
    if batch.realizes { for member in loaded where member !== object { realizeFromRow(member) } }
    return object.chunk != nil
  }
}
