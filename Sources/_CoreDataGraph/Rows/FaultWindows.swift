// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys of batched fetches, from which the keys of a fault's batch are found.
///
/// A fault without a row keeps its position in `GraphObject.row`, so that a batched fetch needs no memory for
/// each fault. Only the keys of the newest 16 fetches are kept; the row of a fault of an older fetch is read
/// alone.
/// Source: docs/decisions/0006-batched-fetches.md.
package struct FaultWindows {
  /// Faults that get their rows together.
  package struct Batch {
    package let keys: ArraySlice<ObjectKey>
    /// The key paths whose destinations are prefetched with the rows.
    package let paths: Set<[String]>
    package let realizes: Bool
  }
  private struct Window {
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

  /// Adds the keys of a fetch, in order, and returns the position of the first key; returns 0, without adding
  /// the keys, if their positions do not fit into 32 bits.
  ///
  /// `size` is the number of rows that are read together; a size below 1 counts as 1.
  package mutating func open(
    _ keys: [ObjectKey],
    size: Int,
    paths: Set<[String]> = [],
    realizes: Bool = false
  ) -> Int {
    // Positions have 32 bits, so they begin again at 1. A fault with an older position is recognised by its
    // key.
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

  /// Forgets all fetches; the rows of their faults are then read one by one.
  package mutating func close() { windows = [] }

  /// Returns the batch of the fault with `key` at the position `place`; nil if no kept fetch has this key
  /// there.
  package func batch(of key: ObjectKey, at place: Int) -> Batch? {
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
