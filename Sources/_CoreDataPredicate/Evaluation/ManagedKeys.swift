// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys that every managed object has besides the properties of its entity.
///
/// As for every Boolean property in key-value coding, `isDeleted` and `deleted` name the same value.
/// Source: documented (NSManagedObject).
package enum ManagedKeys {
  /// Whether a key in a key path is `self` or `SELF`, which stands for the object itself.
  package static func isSelf(_ key: some StringProtocol) -> Bool { key == "self" || key == "SELF" }

  /// The key of the object's ID.
  ///
  /// In a key path that a store evaluates, this key stands for the object itself.
  package static let objectID = "objectID"
  /// The key of the object's entity; a store can evaluate this key.
  package static let entity = "entity"
  /// The keys of an object's state in its context; a store cannot evaluate these keys.
  package static let state: Set<String> = [
    "isInserted", "inserted", "isUpdated", "updated", "isDeleted", "deleted", "isFault", "fault",
    "hasChanges", "hasPersistentChangedValues", "faultingState", "managedObjectContext",
    "description",
  ]
  /// The keys that a store can evaluate after the key `entity`, as in `entity.name`.
  package static let ofEntities: Set<String> = ["name"]
}

/// An object that represents an entity.
///
/// Predicates treat two such objects as equal if their entities have the same name.
package protocol EntityNaming: AnyObject {
  /// The entity's name; nil for an entity without a name.
  var namedEntity: String? { get }
}

/// The value of the key `entity` in a condition that a store evaluates in memory.
package final class KeyedEntity: KeyedObject, EntityNaming {
  private let name: String

  package init(_ entity: EntityDefinition) { name = entity.name }

  package var namedEntity: String? { name }
  package var objectKey: ObjectKey? { nil }

  /// Returns the name of the entity for the key `name`.
  ///
  /// - Throws: `UnknownKey` for every other key.
  package func keyedValue(_ key: String) throws -> Value {
    guard key == "name" else { throw UnknownKey(key: key, owner: "an entity") }
    return .text(name)
  }
}

extension Value {
  /// The name of the entity that the value represents; nil if the value does not represent an entity.
  package var entityName: String? {
    switch self {
    case .object(let object as any EntityNaming): object.namedEntity
    case .object(let box as any KeyedContent): (box.keyedContent as? any EntityNaming)?.namedEntity
    case .opaque(let object as any EntityNaming): object.namedEntity
    default: nil
    }
  }
}

/// An object that can be compared with other objects of its kind, such as a history token.
package protocol OrderedContent: KeyedObject {
  /// Returns a number below 0 if this object precedes `other`, above 0 if this object follows, and 0 if both
  /// are equal.
  ///
  /// Returns nil if this object and `other` cannot be compared.
  func order(to other: Value) -> Int?
}
