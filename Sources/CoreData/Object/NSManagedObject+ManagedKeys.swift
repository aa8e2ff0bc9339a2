// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension NSManagedObject {
  /// Returns the value of a key that every managed object supports, such as `objectID`; nil for any other
  /// key.
  ///
  /// If the value of a supported key is nil, returns `NSNull`.
  ///
  /// Source: documented, “NSManagedObject”.
  func managedValue(_ key: String) -> Any? {
    switch key {
    case "self": self
    case "objectID": objectID
    case ManagedKeys.entity: entity
    case "managedObjectContext": managedObjectContext ?? NSNull()
    case "isInserted", "inserted": NSNumber(value: isInserted)
    case "isUpdated", "updated": NSNumber(value: isUpdated)
    case "isDeleted", "deleted": NSNumber(value: isDeleted)
    case "isFault", "fault": NSNumber(value: isFault)
    case "hasChanges": NSNumber(value: hasChanges)
    case "hasPersistentChangedValues": NSNumber(value: hasPersistentChangedValues)
    case "faultingState": NSNumber(value: faultingState)
    case "description": description
    default: nil
    }
  }
}

extension NSEntityDescription: EntityNaming {
  package var namedEntity: String? { name }
}

extension NSEntityDescription: KeyValueReadable {
  /// Returns the value of a key of the entity description, for predicates such as `entity.name == "Book"`.
  ///
  /// - Throws: `UndefinedKey` for a key that predicates on an entity do not support.
  public func value(forKey key: String) throws -> Any? {
    switch key {
    case "name": name
    case "managedObjectClassName": managedObjectClassName
    case "isAbstract", "abstract": isAbstract
    case "superentity": superentity
    case "subentities": subentities
    case "userInfo": userInfo
    case "versionHash": versionHash
    case "versionHashModifier": versionHashModifier
    case "renamingIdentifier": renamingIdentifier
    default: throw UndefinedKey(key)
    }
  }
}
