// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Which faults of batched fetches get their rows together.
///
/// A fault without a row keeps its place among the faults of its fetch where a realised object keeps
/// its row number, so that a batch costs the faults nothing. The keys of the newest fetches are held; a
/// fault of an older one gets its row alone. Source: docs/decisions/0006-batched-fetches.md.
package struct FaultWindows {
  /// Faults that get their rows together.
  package struct Batch {
    package let keys: ArraySlice<ObjectKey>
    /// Key paths whose destinations come with the rows.
    package let paths: Set<[String]>
    package let realizes: Bool
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

  /// Adds the keys of a fetch, in order, and returns the position of the first.
  ///
  /// `size` is at least 1.
  package mutating func open(
    _ keys: [ObjectKey],
    size: Int,
    paths: Set<[String]> = [],
    realizes: Bool = false
  ) -> Int {
    // Positions are 32 bits wide; a fault with a position of before is recognised by its key.
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
  package mutating func close() { windows = [] }

  /// The batch of the fault with that key at that position; nil where the fetch is not known any more.
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
