// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The values of one object of an atomic store.
///
/// Source: documented, “NSAtomicStoreCacheNode”.
open class NSAtomicStoreCacheNode: NSObject, @unchecked Sendable {
  // Unchecked: a node is used only in calls of the store's methods, which run on one thread at a time.
  /// The ID of the object.
  public let objectID: NSManagedObjectID

  /// Creates a node without values.
  ///
  /// Create the ID with `objectID(for:withReferenceObject:)` of the store.
  public init(objectID moid: NSManagedObjectID) {
    objectID = moid
    super.init()
  }

  /// The values by property name; nil until a value is set.
  ///
  /// The value of an attribute has the class of the attribute. The value of a to-one is the node of the
  /// destination. The value of a to-many is a set of nodes, or if the to-many is ordered, an ordered set or
  /// an array of nodes. `NSNull` means nil.
  open var propertyCache: NSMutableDictionary?

  /// Returns the value of a property of the object's entity; nil if the property has no value.
  ///
  /// Stops the program if the entity has no property named `key`; a subclass can override the method to
  /// support more keys.
  ///
  /// Source: documented, “value(forKey:)” of “NSAtomicStoreCacheNode”.
  open func value(forKey key: String) -> Any? {
    if objectID.entity.propertiesByName[key] == nil { Misuse.notAPropertyOfNode(key, self) }
    return propertyCache?[key]
  }

  /// Sets the value of a property of the object's entity; nil removes the value.
  ///
  /// Stops the program if the entity has no property named `key`; a subclass can override the method to
  /// support more keys.
  ///
  /// Source: documented, “setValue(_:forKey:)” of “NSAtomicStoreCacheNode”.
  open func setValue(_ value: Any?, forKey key: String) {
    if objectID.entity.propertiesByName[key] == nil { Misuse.notAPropertyOfNode(key, self) }
    let cache = propertyCache ?? NSMutableDictionary()
    propertyCache = cache
    if let value { cache[key] = value } else { cache.removeObject(forKey: key) }
  }
}
