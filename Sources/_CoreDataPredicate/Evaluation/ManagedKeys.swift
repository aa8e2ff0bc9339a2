// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys that every managed object has besides the properties of its entity.
///
/// Source: documented (NSManagedObject). `isDeleted` and `deleted` name the same value, as for every Boolean
/// property.
package enum ManagedKeys {
  /// Returns whether a key in a key path is `self`; the key path then continues from the same object.
  package static func isSelf(_ key: some StringProtocol) -> Bool { key == "self" || key == "SELF" }

  /// The key of the object's ID; in a key path that a store evaluates, it stands for the object itself.
  package static let objectID = "objectID"
  /// The key of the object's entity; a store knows the entity of each row.
  package static let entity = "entity"
  /// The keys of the state that an object has in its context; a store does not have this state.
  package static let state: Set<String> = [
    "isInserted", "inserted", "isUpdated", "updated", "isDeleted", "deleted", "isFault", "fault",
    "hasChanges", "hasPersistentChangedValues", "faultingState", "managedObjectContext",
    "description",
  ]
  /// The keys of an entity that a store can evaluate.
  package static let ofEntities: Set<String> = ["name"]
}

/// An object that represents an entity; objects that represent entities of the same name are equal.
package protocol EntityNaming: AnyObject {
  /// The entity's name; nil for an entity without a name.
  var namedEntity: String? { get }
}

/// The entity of a row, for conditions that are evaluated in a store.
package final class KeyedEntity: KeyedObject, EntityNaming {
  private let name: String

  package init(_ entity: EntityDefinition) { name = entity.name }

  package var namedEntity: String? { name }
  package var objectKey: ObjectKey? { nil }

  /// Returns the value of `name`.
  ///
  /// - Throws: `UnknownKey` for every other key.
  package func keyedValue(_ key: String) throws -> Value {
    guard key == "name" else { throw UnknownKey(key: key, owner: "an entity") }
    return .text(name)
  }
}

extension Value {
  /// The name of the entity that the value represents; nil for every other value.
  package var entityName: String? {
    switch self {
    case .object(let object as any EntityNaming): object.namedEntity
    case .object(let box as any KeyedContent): (box.keyedContent as? any EntityNaming)?.namedEntity
    case .opaque(let object as any EntityNaming): object.namedEntity
    default: nil
    }
  }
}

/// An object with an order among others of its kind, such as a history token.
package protocol OrderedContent: KeyedObject {
  /// Compares this object with `other`; returns a negative number, zero or a positive number, or nil if they
  /// have no order.
  func order(to other: Value) -> Int?
}
