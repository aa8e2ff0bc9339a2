// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The keys that key-value coding finds on every managed object besides the properties of its entity.
///
/// Source: documented (NSManagedObject); `isDeleted` and `deleted` are one key, as for every Boolean property.
package enum ManagedKeys {
  /// The key of the object's entity, which a store knows of each row.
  package static let entity = "entity"
  /// The state of an object in its context, which no store knows.
  package static let state: Set<String> = [
    "isInserted", "inserted", "isUpdated", "updated", "isDeleted", "deleted", "isFault", "fault",
    "hasChanges", "hasPersistentChangedValues", "faultingState", "managedObjectContext",
    "description",
  ]
  /// The keys of an entity that a store knows.
  package static let ofEntities: Set<String> = ["name"]
}

/// An object that stands for an entity: equal to every other one of the same name.
package protocol EntityNaming: AnyObject {
  /// The entity's name; nil for one without.
  var namedEntity: String? { get }
}

/// The entity of a row, as conditions in a store read it.
package final class KeyedEntity: KeyedObject, EntityNaming {
  private let name: String

  package init(_ entity: EntityDefinition) { name = entity.name }

  package var namedEntity: String? { name }
  package var objectKey: ObjectKey? { nil }

  /// The value of `name`.
  ///
  /// - Throws: `UnknownKey` for every other key.
  package func keyedValue(_ key: String) throws -> Value {
    guard key == "name" else { throw UnknownKey(key: key, owner: "an entity") }
    return .text(name)
  }
}

extension Value {
  /// The name of the entity that the value stands for; nil for every other value.
  package var entityName: String? {
    switch self {
    case .object(let object as any EntityNaming): object.namedEntity
    case .object(let box as any KeyedContent): (box.keyedContent as? any EntityNaming)?.namedEntity
    case .opaque(let object as any EntityNaming): object.namedEntity
    default: nil
    }
  }
}

/// An object that has a place among others of its kind, such as a token of a history.
package protocol OrderedContent: KeyedObject {
  /// Negative, zero or positive; nil where the two have no order.
  func order(to other: Value) -> Int?
}
