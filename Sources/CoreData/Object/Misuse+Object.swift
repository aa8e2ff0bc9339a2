// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Programmer errors that concern objects; the texts are Apple's where they are known.
extension Misuse {
  static func insertsAbstract(_ name: String) -> Never {
    fatalError("Cannot insert instance because entity '\(name)' is abstract.")
  }

  /// The program tried to create an object without an entity.
  package static func objectWithoutEntity(_ name: String) -> Never {
    fatalError(
      "CoreData: error: Failed to call designated initializer on NSManagedObject class '\(name)'. "
        + "No model in use has exactly one entity of the class; use init(entity:insertInto:)."
    )
  }

  /// The program used the initialiser of a class for an entity whose own class needs more memory.
  static func classIsLarger(
    _ own: NSManagedObject.Type,
    than asked: NSManagedObject.Type,
    entity: String
  ) -> Never {
    fatalError(
      "\(asked)(entity:insertInto:) cannot create an object of the entity \(entity), whose class \(own) "
        + "has stored properties. Use \(own)(context:) or "
        + "NSEntityDescription.insertNewObject(forEntityName: \"\(entity)\", into:)."
    )
  }

  static func classHasNoEntity(_ name: String) -> Never {
    fatalError(
      "An NSManagedObject of class '\(name)' must have a valid NSEntityDescription: no model in use "
        + "has exactly one entity of this class. Use NSFetchRequest(entityName:) or init(entity:insertInto:)."
    )
  }

  static func brokenModel(_ error: any Error) -> Never {
    let reason = (error as NSError).localizedFailureReason ?? "\(error)"
    fatalError("The managed object model cannot be used, because it is not valid: \(reason)")
  }

  static func undefinedKey(_ key: String, of object: NSManagedObject, verb: String) -> Never {
    fatalError(
      "[<\(type(of: object)) \(Unmanaged.passUnretained(object).toOpaque())> \(verb)]: the entity "
        + "\(object.entityDefinition.name) is not key value coding-compliant for the key \"\(key)\". "
        + (MissingKey(key, in: object.entityDefinition, of: object.registry.model)?.explanation
          ?? "")
    )
  }

  static func unacceptableValue(
    _ value: Any?,
    property: PropertyDefinition,
    of object: NSManagedObject
  ) -> Never {
    let kind = property.relationship == nil ? "attribute" : "relationship"
    let desired =
      property.relationship.map { object.registry.model.entities[$0.destination].name }
      ?? property.attribute.map { "\($0.type)" } ?? "?"
    let given = value.map { "\(type(of: $0))" } ?? "nil"
    fatalError(
      "Unacceptable type of value for \(kind): property = \"\(property.name)\"; desired type = "
        + "\(desired); given type = \(given); value = \(value.map { "\($0)" } ?? "nil")."
    )
  }

  static func crossesContexts(
    _ name: String,
    _ object: NSManagedObject,
    _ other: NSManagedObject
  ) -> Never {
    fatalError(
      "Illegal attempt to establish a relationship '\(name)' between objects in different contexts "
        + "(source = \(object) , destination = \(other))"
    )
  }

  static func unfulfilledFault(_ object: NSManagedObject, _ error: any Error) -> Never {
    fatalError(
      "CoreData could not fulfill a fault for '\(object.objectID)': \(error)"
    )
  }

  /// The store of an ID is not reachable; `existingObject(with:)` throws instead.
  ///
  /// Source: chosen; modelled on Apple's exception of this name.
  static func storeNotReachable(_ id: NSManagedObjectID) -> Never {
    fatalError(
      "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator: "
        + "\(id.uriRepresentation().absoluteString); use existingObject(with:), which throws, or a context of "
        + "the coordinator that has the store"
    )
  }

  static func contextIsInUse(_ what: String) -> Never {
    fatalError(
      "Can't change the \(what) of a context that has objects; set it before the first use."
    )
  }

  static func coordinatorIsNil() -> Never {
    fatalError("Context's persistentStoreCoordinator cannot be set to nil; create a new context.")
  }

  static func parentIsNil() -> Never {
    fatalError("Context's parent cannot be set to nil; create a new context.")
  }

  static func propertiesBeforeEntity() -> Never {
    fatalError("propertiesToFetch requires an entity; set the request's entity first.")
  }

  static func requestUnresolved(_ name: String) -> Never {
    fatalError(
      "This fetch request (entity name '\(name)') was created with a string name, and cannot respond "
        + "to -entity until used by an NSManagedObjectContext."
    )
  }

  static func willSaveKeepsChanging() -> Never {
    fatalError(
      "Failed to process pending changes before save. The context is still dirty after 1000 "
        + "attempts. Typically this recursive dirtying is caused by a bad validation method, "
        + "-willSave, or notification handler."
    )
  }
}
