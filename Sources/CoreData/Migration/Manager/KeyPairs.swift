// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys of the source and destination objects that a mapping associates, in 16 bytes for each pair.
package struct KeyPairs: Sendable {
  private var sourceList = KeyList()
  private var destinationList = KeyList()

  package init() {}

  package var sources: [ObjectKey] { sourceList.keys }
  package var destinations: [ObjectKey] { destinationList.keys }

  /// Reserves memory for `count` more pairs, so that the arrays are not reallocated while they grow.
  mutating func reserve(_ count: Int) {
    sourceList.reserve(count)
    destinationList.reserve(count)
  }

  package mutating func append(_ source: ObjectKey, _ destination: ObjectKey) {
    sourceList.append(source)
    destinationList.append(destination)
  }

  /// Whether the sources are ascending and smaller than the key; the key is then certainly not a source.
  func isAboveSources(_ key: ObjectKey) -> Bool { sourceList.isBelow(key) }

  /// Returns the destinations of a source, in the order in which they were added.
  ///
  /// - Complexity: O(log n) if the keys are ascending. If they are not, O(n) at the first search, which
  ///   builds a hash table, and O(1) after that.
  package mutating func destinations(of source: ObjectKey) -> [ObjectKey] {
    var found: [ObjectKey] = []
    addDestinations(of: source, to: &found)
    return found
  }

  /// Appends the destinations of a source to `found`; see `destinations(of:)`.
  mutating func addDestinations(of source: ObjectKey, to found: inout [ObjectKey]) {
    sourceList.forEachPosition(of: source) { found.append(destinationList.keys[$0]) }
  }

  /// Returns the sources of a destination, in the order in which they were added.
  ///
  /// - Complexity: O(log n) if the keys are ascending. If they are not, O(n) at the first search, which
  ///   builds a hash table, and O(1) after that.
  package mutating func sources(of destination: ObjectKey) -> [ObjectKey] {
    var found: [ObjectKey] = []
    destinationList.forEachPosition(of: destination) { found.append(sourceList.keys[$0]) }
    return found
  }

  /// The destinations, each once, in the order in which they were added.
  package var uniqueDestinations: [ObjectKey] { destinationList.uniqueKeys }
}

/// A growing list of keys that finds the positions of a key.
///
/// While the keys are in ascending order, as they usually are, a key is found by binary search. If the keys
/// are in a different order, the first search builds a hash table.
struct KeyList: Sendable {
  private(set) var keys: [ObjectKey] = []
  private var isAscending = true
  /// Whether the list contains a key more than once; recorded only while the list is ascending.
  private var repeats = false
  /// The positions of each key; empty while the list is ascending.
  private var chains = PositionChains<ObjectKey>()

  mutating func reserve(_ count: Int) { keys.reserveCapacity(keys.count + count) }

  mutating func append(_ key: ObjectKey) {
    if isAscending, let end = keys.last, key.raw <= end.raw {
      if key == end { repeats = true } else { isAscending = false }
    }
    keys.append(key)
  }

  mutating func removeAll() {
    keys.removeAll(keepingCapacity: true)
    chains.removeAll()
    (isAscending, repeats) = (true, false)
  }

  /// Whether the list is ascending, and all of its keys are smaller than `key`.
  func isBelow(_ key: ObjectKey) -> Bool {
    isAscending && keys.last.map { $0.raw < key.raw } ?? true
  }

  /// Returns the last position if `key` is the last key and is in the list only once; otherwise returns nil.
  func endPosition(of key: ObjectKey) -> Int? {
    isAscending && keys.last == key && (keys.count == 1 || keys[keys.count - 2] != key)
      ? keys.count - 1 : nil
  }

  /// Calls `body` with the positions of a key in ascending order.
  mutating func forEachPosition(of key: ObjectKey, _ body: (Int) -> Void) {
    if isBelow(key) { return }
    guard isAscending else {
      for position in chains.count..<keys.count { chains.append(keys[position]) }
      return chains.positions(of: key).forEach(body)
    }
    var position = firstPosition(of: key)
    while position < keys.count, keys[position] == key {
      body(position)
      position += 1
    }
  }

  private func firstPosition(of key: ObjectKey) -> Int {
    var (low, high) = (0, keys.count)
    while low < high {
      let middle = (low + high) / 2
      if keys[middle].raw < key.raw { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The keys without repetitions, in the order in which they were added.
  var uniqueKeys: [ObjectKey] {
    if isAscending, !repeats { return keys }
    if isAscending {
      return keys.indices.filter { $0 == 0 || keys[$0] != keys[$0 - 1] }.map { keys[$0] }
    }
    var seen = Set<ObjectKey>(minimumCapacity: keys.count)
    return keys.filter { seen.insert($0).inserted }
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
    if former.isEmpty { return }
    last.removeAll(keepingCapacity: true)
    former.removeAll(keepingCapacity: true)
  }
}
