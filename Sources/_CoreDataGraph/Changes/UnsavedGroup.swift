// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The inserted, the updated or the deleted objects of a graph, in the order in which they entered the group.
///
/// The flags of an object state whether the object is in the group. When an object leaves, its entry is kept
/// until the group is read or most entries are stale; leaving therefore takes constant time on average. An
/// object that leaves and enters again is in the group once, at the end.
package struct UnsavedGroup {
  private let flag: ObjectFlags
  private let exception: ObjectFlags
  /// The objects of the group, and stale entries of objects that have left the group.
  private var entries: [GraphObject] = []
  package private(set) var count = 0
  /// The number of entries that compaction and `removeAll(clearing:)` have visited.
  ///
  /// Tests compare it with the number of changes.
  package private(set) var visits = 0

  /// A removal compacts the entries if stale entries outnumber the objects by more than this number.
  private static let tolerated = 32

  init(_ flag: ObjectFlags, except exception: ObjectFlags = []) {
    self.flag = flag
    self.exception = exception
  }

  package var isEmpty: Bool { count == 0 }

  /// The objects of the group, in the order of entry.
  ///
  /// - Complexity: O(1); O(entries) if objects have left since the last read.
  package var objects: [GraphObject] {
    mutating get {
      if entries.count != count { compact() }
      return entries
    }
  }

  func contains(_ object: GraphObject) -> Bool {
    object.flags.contains(flag) && object.flags.isDisjoint(with: exception)
  }

  mutating func add(_ object: GraphObject) {
    if contains(object) { return }
    object.flags.insert(flag)
    entries.append(object)
    count += 1
  }

  mutating func remove(_ object: GraphObject) {
    guard contains(object) else { return }
    object.flags.remove(flag)
    count -= 1
    if count == 0 {
      entries = []
    } else if entries.count > 2 * count + Self.tolerated {
      compact()
    }
  }

  /// Removes every object from the group, and clears `flags` in each of these objects.
  mutating func removeAll(clearing flags: ObjectFlags) {
    visits += entries.count
    for object in entries where contains(object) { object.flags.subtract(flags) }
    entries = []
    count = 0
  }

  /// Replaces the objects of the group; the new objects must already have the flags of the group.
  mutating func replace(with objects: [GraphObject]) {
    entries = objects
    count = objects.count
  }

  /// Stops retaining the objects for which `isReleased` is true; those that something else retains stay in the group.
  ///
  /// `living` returns the object with a key if it is still alive. Objects without a place in the registry must not be
  /// released.
  /// - Returns: the number of objects that were deallocated.
  /// - Complexity: O(entries).
  mutating func release(
    where isReleased: (GraphObject) -> Bool,
    living: (ObjectKey) -> GraphObject?
  ) -> Int {
    compact()
    visits += entries.count
    let all = entries.count
    var keys: [ObjectKey?] = []
    var kept: [GraphObject] = []
    for object in entries {
      let isReleased = isReleased(object)
      keys.append(isReleased ? object.key : nil)
      if !isReleased { kept.append(object) }
    }
    entries = []
    if kept.count == all {
      entries = kept
      return 0
    }
    var next = kept.makeIterator()
    entries = keys.compactMap { $0.map(living) ?? next.next() }
    count = entries.count
    return all - count
  }

  /// Drops stale entries; if an object has several entries, keeps the last one.
  private mutating func compact() {
    visits += entries.count
    var kept: [GraphObject] = []
    kept.reserveCapacity(count)
    for object in entries.reversed() where contains(object) && !object.flags.contains(.placed) {
      object.flags.insert(.placed)
      kept.append(object)
    }
    kept.reverse()
    for object in kept { object.flags.remove(.placed) }
    entries = kept
  }
}
