// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys of recent batched fetches, from which the batch of a fault is found.
///
/// The keys of all fetches get consecutive positions. A fault without a row keeps the position of its key in
/// `GraphObject.row`, so that the fault needs no further memory. Only the keys of the newest 16 fetches are
/// kept; the row of a fault of an older fetch is read alone.
/// Source: docs/decisions/0006-batched-fetches.md.
package struct FaultWindows {
  /// A group of faults whose rows are read together.
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
    // `GraphObject.row` has 32 bits, so positions restart at 1 before they overflow. A fault with a position
    // from before the restart does not get a wrong batch, because `batch(of:at:)` compares the key.
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

  /// Returns the batch of the fault with `key` at the position `place`; nil if no kept fetch has this key at
  /// this position.
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
