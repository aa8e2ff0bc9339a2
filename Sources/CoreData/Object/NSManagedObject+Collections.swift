// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// To-many relationships as mutable collections that write through to the relationship.
///
/// In Apple's framework `NSObject` has these methods; here `NSManagedObject` has them.
extension NSManagedObject {
  /// Returns a mutable set that reflects a to-many relationship and changes it together with its inverse.
  ///
  /// ```swift
  /// team.mutableSetValue(forKey: "players").add(player)
  /// ```
  /// The set retains the object. Stops the program if the to-many is ordered or `key` is not a to-many.
  /// To get a `Set`, cast the set's `copy()`, not the set itself.
  ///
  /// Source: documented, “mutableSetValue(forKey:)”.
  public func mutableSetValue(forKey key: String) -> NSMutableSet {
    RelationshipSet(self, slot: toMany(key, ordered: false, "mutableSetValueForKey:"))
  }

  /// Returns a mutable ordered set that reflects an ordered to-many relationship and changes it together
  /// with its inverse.
  ///
  /// The set retains the object. While the set is retained, every change made elsewhere costs O(members).
  /// Stops the program if `key` is not an ordered to-many.
  ///
  /// Source: documented, “mutableOrderedSetValue(forKey:)”.
  public func mutableOrderedSetValue(forKey key: String) -> NSMutableOrderedSet {
    RelationshipOrderedSet(self, slot: toMany(key, ordered: true, "mutableOrderedSetValueForKey:"))
  }

  private func toMany(_ key: String, ordered: Bool, _ verb: String) -> Int {
    guard let property = property(key), property.isToMany,
      property.relationship?.isOrdered == ordered
    else {
      Misuse.undefinedKey(
        key,
        of: self,
        verb: verb,
        wanted: ordered
          ? "an ordered to-many relationship" : "a to-many relationship that is not ordered"
      )
    }
    checkQueue(property.slot, "valueForKey")
    return property.slot
  }
}

/// Tells Foundation that a managed object in a collection is returned as itself.
///
/// Foundation on Linux tests whether each returned member represents a Swift value. A cast that fails takes
/// twice as long as a cast that succeeds. The failing casts took a tenth of the time of iterating over a
/// to-many.
extension NSManagedObject: _StructBridgeable {
  /// Returns the object itself.
  public func _bridgeToAny() -> Any { self }
}
