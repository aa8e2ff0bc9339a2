// SPDX-License-Identifier: Apache-2.0

/// One group of unsaved objects: those that are new, changed or deleted, in the order of entry.
///
/// Flags of the objects say which of them are in the group. An object that leaves keeps its place until
/// the group is read, or until most places are stale, so leaving costs the same however many objects
/// the group has. An object that leaves and comes back is in the group once, at the end.
package struct UnsavedGroup {
  /// Objects with this flag and without the other one are in the group.
  private let flag: ObjectFlags
  private let exception: ObjectFlags
  /// Objects of the group and, where there are more than `count`, places of those that left.
  private var places: [GraphObject] = []
  /// The number of objects in the group.
  package private(set) var count = 0
  /// The number of places walked over since the graph was made, by all calls together.
  ///
  /// Tests of growth read it; it is written once a walk.
  package private(set) var visits = 0

  /// Fewer stale places than these are not worth a walk.
  private static let tolerated = 32

  /// An empty group of the objects that have `flag` and do not have `exception`.
  init(_ flag: ObjectFlags, except exception: ObjectFlags = []) {
    self.flag = flag
    self.exception = exception
  }

  package var isEmpty: Bool { count == 0 }

  /// The objects of the group, in the order of entry.
  ///
  /// - Complexity: O(1); the number of places where objects have left since the last reading.
  package var objects: [GraphObject] {
    mutating get {
      if places.count != count { compact() }
      return places
    }
  }

  func contains(_ object: GraphObject) -> Bool {
    object.flags.contains(flag) && object.flags.isDisjoint(with: exception)
  }

  /// Puts the object at the end; nothing where it is in the group.
  mutating func enter(_ object: GraphObject) {
    if contains(object) { return }
    object.flags.insert(flag)
    places.append(object)
    count += 1
  }

  /// Removes the object from the group; does nothing where it is not in it.
  ///
  /// - Complexity: O(1) on average.
  mutating func leave(_ object: GraphObject) {
    guard contains(object) else { return }
    object.flags.remove(flag)
    count -= 1
    if count == 0 {
      places = []
    } else if places.count > 2 * count + Self.tolerated {
      compact()
    }
  }

  /// Removes every object from the group, and the given flags from each.
  mutating func removeAll(clearing flags: ObjectFlags) {
    visits += places.count
    for object in places where contains(object) { object.flags.subtract(flags) }
    places = []
    count = 0
  }

  /// Replaces the group; the flags of the objects say already what they are.
  mutating func replace(with objects: [GraphObject]) {
    places = objects
    count = objects.count
  }

  /// Gives up stale places; of several places of one object the last one counts.
  private mutating func compact() {
    visits += places.count
    var kept: [GraphObject] = []
    kept.reserveCapacity(count)
    for object in places.reversed() where contains(object) && !object.flags.contains(.placed) {
      object.flags.insert(.placed)
      kept.append(object)
    }
    kept.reverse()
    for object in kept { object.flags.remove(.placed) }
    places = kept
  }
}
