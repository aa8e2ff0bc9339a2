// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// To-many relationships as mutable collections that write through to the relationship.
///
/// In Apple's framework `NSObject` has these methods; here `NSManagedObject` has them.
extension NSManagedObject {
  /// Returns a mutable set that reflects a to-many relationship; changing the set changes the relationship
  /// and the inverse.
  ///
  /// ```swift
  /// team.mutableSetValue(forKey: "players").add(player)
  /// ```
  /// The set retains this object. Stops the program if `key` is not a to-many, or if the to-many is ordered.
  /// To get a `Set`, cast the set's `copy()`, not the set itself.
  ///
  /// Source: documented, “mutableSetValue(forKey:)”.
  public func mutableSetValue(forKey key: String) -> NSMutableSet {
    RelationshipSet(self, slot: toMany(key, ordered: false, "mutableSetValueForKey:"))
  }

  /// Returns a mutable ordered set that reflects an ordered to-many relationship; changing the set changes
  /// the relationship and the inverse.
  ///
  /// The set retains this object. While the set is retained, every change of the relationship made elsewhere
  /// costs O(members). Stops the program if `key` is not an ordered to-many.
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

/// Speeds up reading managed objects from Foundation's collections.
///
/// When a collection returns a member, Foundation on Linux casts the member to this protocol. A failed cast
/// takes longer than a successful one.
extension NSManagedObject: _StructBridgeable {
  /// Returns the object itself.
  public func _bridgeToAny() -> Any { self }
}
