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

  /// Returns a mutable array that reflects an ordered to-many relationship or a transformable attribute whose
  /// value is an array; changing the array changes the property.
  ///
  /// ```swift
  /// team.mutableArrayValue(forKey: "nicknames").add("Blues")
  /// ```
  /// The array retains this object. A nil attribute counts as an empty array until an object is added. An
  /// object that is already a member of the relationship is not added again. Stops the program if `key` is
  /// neither an ordered to-many nor a transformable attribute, or if the value of the attribute is not an
  /// array.
  /// - Complexity: each change, and for an attribute with a Swift array each read, costs O(members).
  /// - Source: documented, “mutableArrayValue(forKey:)”.
  public func mutableArrayValue(forKey key: String) -> NSMutableArray {
    guard let property = property(key) else {
      Misuse.undefinedKey(key, of: self, verb: "mutableArrayValueForKey:")
    }
    checkQueue(property.slot, "valueForKey")
    if property.relationship?.isOrdered == true, property.isToMany {
      return KeyedArray(self, key, relationship: mutableOrderedSetValue(forKey: key))
    }
    switch property.attribute?.type {
    case .transformable, .undefined: return KeyedArray(self, key, relationship: nil)
    default:
      Misuse.undefinedKey(
        key,
        of: self,
        verb: "mutableArrayValueForKey:",
        wanted: "an ordered to-many relationship or a transformable attribute"
      )
    }
  }

  // MARK: Key paths

  /// Returns `mutableSetValue(forKey:)` of the object at the end of a path of to-ones; stops the program if
  /// the value of a key along the path is not a managed object.
  ///
  /// Source: documented, “mutableSetValue(forKeyPath:)”.
  public func mutableSetValue(forKeyPath keyPath: String) -> NSMutableSet {
    let (owner, key) = owner(at: keyPath, "mutableSetValueForKeyPath:")
    return owner.mutableSetValue(forKey: key)
  }

  /// Returns `mutableOrderedSetValue(forKey:)` of the object at the end of a path of to-ones; stops the
  /// program if the value of a key along the path is not a managed object.
  ///
  /// Source: documented, “mutableOrderedSetValue(forKeyPath:)”.
  public func mutableOrderedSetValue(forKeyPath keyPath: String) -> NSMutableOrderedSet {
    let (owner, key) = owner(at: keyPath, "mutableOrderedSetValueForKeyPath:")
    return owner.mutableOrderedSetValue(forKey: key)
  }

  /// Returns `mutableArrayValue(forKey:)` of the object at the end of a path of to-ones; stops the program if
  /// the value of a key along the path is not a managed object.
  ///
  /// Source: documented, “mutableArrayValue(forKeyPath:)”.
  public func mutableArrayValue(forKeyPath keyPath: String) -> NSMutableArray {
    let (owner, key) = owner(at: keyPath, "mutableArrayValueForKeyPath:")
    return owner.mutableArrayValue(forKey: key)
  }

  private func owner(at keyPath: String, _ verb: String) -> (NSManagedObject, String) {
    var keys = keyPath.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
    let last = keys.removeLast()
    var owner = self
    for key in keys {
      guard let next = owner.value(forKey: key) as? NSManagedObject else {
        Misuse.pathWithoutOwner(keyPath, key, of: owner, verb: verb)
      }
      owner = next
    }
    return (owner, last)
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
