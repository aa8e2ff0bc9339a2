// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys of the source and destination objects that a mapping associates, in 16 bytes for each pair.
///
/// Keys in ascending order, which is usual, are found by binary search. For keys in another order, a hash
/// table is built at the first search.
package struct KeyPairs: Sendable {
  package private(set) var sources: [ObjectKey] = []
  package private(set) var destinations: [ObjectKey] = []
  private var bySource = KeyIndex()
  private var byDestination = KeyIndex()

  package init() {}

  package mutating func append(_ source: ObjectKey, _ destination: ObjectKey) {
    bySource.willAppend(source, to: sources)
    byDestination.willAppend(destination, to: destinations)
    sources.append(source)
    destinations.append(destination)
  }

  /// Returns the destinations of a source, in the order in which they were added.
  ///
  /// - Complexity: O(log n) if the keys are ascending. If they are not, O(n) at the first search, which
  ///   builds a hash table, and O(1) after that.
  package mutating func destinations(of source: ObjectKey) -> [ObjectKey] {
    bySource.positions(of: source, in: sources).map { destinations[$0] }
  }

  /// Returns the sources of a destination, in the order in which they were added.
  ///
  /// - Complexity: O(log n) if the keys are ascending. If they are not, O(n) at the first search, which
  ///   builds a hash table, and O(1) after that.
  package mutating func sources(of destination: ObjectKey) -> [ObjectKey] {
    byDestination.positions(of: destination, in: destinations).map { sources[$0] }
  }

  /// The destinations, each once, in the order in which they were added.
  package var uniqueDestinations: [ObjectKey] {
    if byDestination.isAscending {
      return destinations.indices.filter { $0 == 0 || destinations[$0] != destinations[$0 - 1] }
        .map { destinations[$0] }
    }
    var seen = Set<ObjectKey>(minimumCapacity: destinations.count)
    return destinations.filter { seen.insert($0).inserted }
  }
}

/// An index of the positions of keys in a list that grows.
private struct KeyIndex: Sendable {
  private(set) var isAscending = true
  /// The positions of keys; empty while the list is ascending, because a binary search then finds a key.
  private var chains = PositionChains<ObjectKey>()

  mutating func willAppend(_ key: ObjectKey, to keys: [ObjectKey]) {
    if isAscending, let end = keys.last, key.raw < end.raw { isAscending = false }
  }

  mutating func positions(of key: ObjectKey, in keys: [ObjectKey]) -> [Int] {
    isAscending ? searched(key, keys) : hashed(key, keys)
  }

  private func searched(_ key: ObjectKey, _ keys: [ObjectKey]) -> [Int] {
    guard let end = keys.last, key.raw <= end.raw else { return [] }
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].raw < key.raw { low = middle + 1 } else { high = middle }
    }
    var found: [Int] = []
    while low < keys.count, keys[low] == key {
      found.append(low)
      low += 1
    }
    return found
  }

  private mutating func hashed(_ key: ObjectKey, _ keys: [ObjectKey]) -> [Int] {
    for position in chains.count..<keys.count { chains.append(keys[position]) }
    return chains.positions(of: key)
  }
}

/// The positions of each value in a list, without an array for each value.
struct PositionChains<Key: Hashable & Sendable>: Sendable {
  /// The last position of each value.
  private var last: [Key: UInt32] = [:]
  /// For each position, 1 plus the previous position of the same value; 0 if there is no previous position.
  private var former: [UInt32] = []

  var count: Int { former.count }

  mutating func append(_ key: Key) {
    let earlier = last.updateValue(UInt32(former.count), forKey: key)
    former.append(earlier.map { $0 + 1 } ?? 0)
  }

  /// Returns the positions of a value in ascending order.
  func positions(of key: Key) -> [Int] {
    guard let position = last[key] else { return [] }
    var found = [Int(position)]
    var next = former[Int(position)]
    while next > 0 {
      found.append(Int(next) - 1)
      next = former[Int(next) - 1]
    }
    return found.reversed()
  }

  mutating func removeAll() {
    last.removeAll(keepingCapacity: true)
    former.removeAll(keepingCapacity: true)
  }
}
