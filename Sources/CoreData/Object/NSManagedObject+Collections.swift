// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// To-manys as collections that write through.
///
/// Apple's `NSObject` has these for every object; here managed objects do.
extension NSManagedObject {
  /// The members of a to-many as a set that follows the relationship, and changes it with its inverse.
  ///
  /// ```swift
  /// team.mutableSetValue(forKey: "players").add(player)
  /// ```
  /// Keeps the object alive. An ordered to-many and a key that names no to-many stop the program. Cast
  /// its `copy()`, not itself, to `Set`. Source: documented, “mutableSetValue(forKey:)”.
  public func mutableSetValue(forKey key: String) -> NSMutableSet {
    RelationshipSet(self, slot: toMany(key, ordered: false, "mutableSetValueForKey:"))
  }

  /// The members of an ordered to-many as an ordered set that follows the relationship, and changes it
  /// with its inverse.
  ///
  /// Keeps the object alive; one that is kept itself costs O(members) for every change made elsewhere.
  /// A key that names no ordered to-many stops the program.
  /// Source: documented, “mutableOrderedSetValue(forKey:)”.
  public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    RelationshipOrderedSet(self, slot: toMany(key, ordered: true, "mutableOrderedSetValueForKey:"))
  }

  private func toMany(_ key: String, ordered: Bool, _ verb: String) -> Int {
    guard let property = property(key), property.isToMany,
      property.relationship?.isOrdered == ordered
    else { Misuse.undefinedKey(key, of: self, verb: verb) }
    checkQueue(property.slot, "valueForKey")
    return property.slot
  }
}

/// Says to Foundation what it would find out: that a managed object in a collection is given as itself.
///
/// Foundation on Linux asks each member that it hands out whether it stands for a Swift value; a cast that
/// fails costs it twice as much as one that succeeds, and was a tenth of visiting a to-many.
extension NSManagedObject: _StructBridgeable {
  /// The object.
  public func _bridgeToAny() -> Any { self }
}
