// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Fatal errors about objects, contexts and fetch requests.
///
/// A text begins with Apple's wording where that wording is known from Apple's logs.
extension Misuse {
  static func insertsAbstract(_ entity: NSEntityDescription) -> Never {
    let names = entity.subentities.compactMap(\.name).joined(separator: ", ")
    fatalError(
      "Cannot insert instance because entity '\(entity.name ?? "(null)")' is abstract. "
        + (names.isEmpty
          ? "It has no subentities; set isAbstract to false in the model."
          : "Insert an object of a subentity: \(names).")
    )
  }

  /// Stops the program because no model in use has exactly one entity of the class on which `init()` was
  /// called.
  package static func objectWithoutEntity(_ name: String) -> Never {
    fatalError(
      "CoreData: error: Failed to call designated initializer on NSManagedObject class '\(name)'. "
        + "No model in use has exactly one entity of the class. Create the container or coordinator first, "
        + "or use init(entity:insertInto:)."
    )
  }

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

  static func classHasNoEntity(_ type: NSManagedObject.Type, in model: FrozenModel) -> Never {
    let names = model.entities.filter { $0.managedObjectClass == type }.compactMap(\.name)
    fatalError(
      "An NSManagedObject of class '\(type)' must have a valid NSEntityDescription: "
        + (names.isEmpty
          ? "no entity of the context's model has this class. Set it as the class of an entity in the model"
          : "the entities \(names.joined(separator: ", ")) of the context's model have this class. Use one "
            + "of them")
        + (names.isEmpty ? ", or use" : " with") + " init(entity:insertInto:)."
    )
  }

  static func brokenModel(_ error: any Error) -> Never {
    fatalError("The managed object model cannot be used, because it is not valid: \(reason(error))")
  }

  private static func reason(_ error: any Error) -> String {
    let error = cocoaError(error)
    let path = (error.userInfo[NSFilePathErrorKey] as? String).map { " (\($0))" }
    return (error.localizedFailureReason ?? error.localizedDescription) + (path ?? "")
  }

  /// Stops the program because an object does not have the key, or because a method does not accept the key.
  ///
  /// `verb` is the name of Apple's method that raises the exception. `wanted` says what the key must name,
  /// for a method that does not accept every property.
  static func undefinedKey(
    _ key: String,
    of object: NSManagedObject,
    verb: String,
    wanted: String? = nil
  ) -> Never {
    let entity = object.entityDefinition
    let explanation: String
    if let property = entity.property(named: key), let wanted {
      explanation = "\(key) is \(kind(property)); the method needs \(wanted)"
    } else if let missing = MissingKey(key, in: entity, of: object.registry.model) {
      explanation = missing.explanation
    } else {
      explanation =
        key.contains(".")
        ? "this is a key path, and the method needs the name of one property"
        : "the key does not name a property that can be set or observed"
    }
    fatalError(
      "\(receiver(object)) \(verb)]: the entity \(entity.name) is not key value coding-compliant for the key "
        + "\"\(key)\": \(explanation)."
    )
  }

  static func removesUnknownObserver(
    _ observer: String,
    _ keyPath: String,
    of object: NSManagedObject
  ) -> Never {
    fatalError(
      "Cannot remove an observer \(observer) for the key path \"\(keyPath)\" from \(object), because it is not "
        + "registered as an observer. Call removeObserver once for each addObserver, with the same context."
    )
  }

  static func pathWithoutOwner(
    _ path: String,
    _ key: String,
    of object: NSManagedObject,
    verb: String
  ) -> Never {
    fatalError(
      "\(receiver(object)) \(verb)]: the key path \"\(path)\" does not lead to an object, because the value "
        + "for the key \"\(key)\" is nil or is not a managed object. Set the relationship first."
    )
  }

  static func valueIsNoArray(_ value: Any, _ key: String, of object: NSManagedObject) -> Never {
    fatalError(
      "\(receiver(object)) mutableArrayValueForKey:]: the value for the key \"\(key)\" of the entity "
        + "\(object.entityDefinition.name) is of type \(type(of: value)), which is not an array."
    )
  }

  static func accessorWithoutProperty(_ key: String, of object: NSManagedObject) -> Never {
    let entity = object.entityDefinition
    let missing = MissingKey(key, in: entity, of: object.registry.model)
    fatalError(
      "\(receiver(object)) \(key)]: the generated accessor \"\(key)\" has no property in the model in use"
        + (missing.map { ": \($0.explanation)" } ?? "")
        + ". Generate the class \(type(of: object)) again from this model, or use the model from which it "
        + "was generated."
    )
  }

  static func accessorOfAnotherType(_ key: String, of object: NSManagedObject) -> Never {
    let declared = object.entityDefinition.property(named: key).map(kindName) ?? "no such property"
    fatalError(
      "Property '\(key)' of class '\(type(of: object))' does not match its Entity's property. Dynamically "
        + "generated accessors do not support implicit type coercion. The entity "
        + "\(object.entityDefinition.name) of the model in use declares \(declared); change the type of the "
        + "property, or use the model for which the class was written."
    )
  }

  private static func kindName(_ property: PropertyDefinition) -> String {
    switch property.kind {
    case .attribute(let attribute): "the attribute type \(attribute.type.traits.modelFileName)"
    case .relationship(let relationship):
      relationship.isToMany ? "a to-many relationship" : "a to-one relationship"
    case .fetched: "a fetched property"
    }
  }

  static func requiredValueIsNil(_ key: String, of object: NSManagedObject) -> Never {
    fatalError(
      "\(receiver(object)) \(key)]: the property is not optional, but has no value. Set it, for example in "
        + "awakeFromInsert(), give it a default value in the model, or make the property optional."
    )
  }

  static func rawValueWithoutCase(
    _ value: Any?,
    _ key: String,
    _ type: Any.Type,
    of object: NSManagedObject
  ) -> Never {
    fatalError(
      "\(receiver(object)) \(key)]: \(type) has no case with the raw value \(value ?? "nil"). Add the case, "
        + "or make the property optional."
    )
  }

  private static func receiver(_ object: NSManagedObject) -> String {
    "[<\(type(of: object)) \(Unmanaged.passUnretained(object).toOpaque())>"
  }

  private static func kind(_ property: PropertyDefinition) -> String {
    if property.isFetched { return "a fetched property" }
    guard let relationship = property.relationship else { return "an attribute" }
    if !relationship.isToMany { return "a to-one relationship" }
    return relationship.isOrdered
      ? "an ordered to-many relationship" : "a to-many relationship that is not ordered"
  }

  /// Stops the program because a property cannot hold the value to which it was set.
  ///
  /// Source: Apple's exception; the last sentence of the text is this library's.
  static func unacceptableValue(
    _ value: Any?,
    property: PropertyDefinition,
    of object: NSManagedObject
  ) -> Never {
    let given = value.map { "\(type(of: $0))" } ?? "nil"
    let shown = value.map { "\($0)" } ?? "nil"
    let (kind, desired, reason) =
      if let relationship = property.relationship {
        (
          "relationship", object.registry.model.entities[relationship.destination].name,
          unacceptableDestination(value, property, relationship, of: object)
        )
      } else {
        unacceptableAttribute(value, property)
      }
    fatalError(
      "Unacceptable type of value for \(kind): property = \"\(property.name)\"; desired type = "
        + "\(desired); given type = \(given); value = \(shown). \(reason)"
    )
  }

  private static func unacceptableAttribute(
    _ value: Any?,
    _ property: PropertyDefinition
  ) -> (kind: String, desired: String, reason: String) {
    guard let attribute = property.attribute else {
      return ("property", "none", "The value of a fetched property cannot be set.")
    }
    let type = attribute.type.traits
    if attribute.type == .composite {
      let names = attribute.elements.map { $0.path.joined(separator: ".") }.joined(separator: ", ")
      return (
        "attribute", "NSDictionary",
        "The value must be a dictionary whose keys are names of the attribute's elements, and whose values "
          + "have the types of these elements; names of the elements: \(names.isEmpty ? "none" : names)."
      )
    }
    let isNumber =
      value is any BinaryFloatingPoint || value is any BinaryInteger || value is NSNumber
    let isFinite =
      (value as? any BinaryFloatingPoint)?.isFinite ?? (value as? NSNumber)?.doubleValue.isFinite
      ?? true
    return (
      "attribute", type.valueClassName ?? type.modelFileName,
      isNumber && type.valueClassName == "NSNumber"
        ? (isFinite
          ? "The number is outside the range of \(type.modelFileName)."
          : "The number is not finite.")
        : "The attribute's type is \(type.modelFileName)."
    )
  }

  private static func unacceptableDestination(
    _ value: Any?,
    _ property: PropertyDefinition,
    _ relationship: RelationshipDefinition,
    of object: NSManagedObject
  ) -> String {
    let members: [Any]
    switch value {
    case let set as NSOrderedSet: members = set.array
    case let set as NSSet: members = set.allObjects
    case let set as Set<AnyHashable>: members = set.map(\.base)
    case let array as [Any]: members = array
    default: members = value.map { [$0] } ?? []
    }
    let model = object.registry.model
    let destination = model.entities[relationship.destination].name
    for case let member as NSManagedObject in members
    where !object.isDestination(member, of: property) {
      return member.registry.model === model
        ? "\(member.objectID) is an object of the entity \(member.entityDefinition.name)."
        : "\(member.objectID) and \(object.objectID) belong to different models. Use one model for both."
    }
    return relationship.isToMany
      ? "The members must be \(destination) objects; assign a set, an ordered set or an array of them."
      : "The value must be one \(destination) object, or nil."
  }

  static func crossesContexts(
    _ name: String,
    _ object: NSManagedObject,
    _ other: NSManagedObject
  ) -> Never {
    fatalError(
      "Illegal attempt to establish a relationship '\(name)' between objects in different contexts "
        + "(source = \(object) , destination = \(other)). "
        + (other.context == nil
          ? "The destination is in no context; pass it to insert(_:) of the source's context first."
          : "Get the destination from the source's context with object(with:).")
    )
  }

  static func unfulfilledFault(_ object: NSManagedObject, _ error: any Error) -> Never {
    fatalError("CoreData could not fulfill a fault for '\(object.objectID)': \(reason(error))")
  }

  /// Stops the program because the store of an ID is not reachable.
  ///
  /// For such an ID, `existingObject(with:)` throws an error instead.
  ///
  /// Source: this library's choice; the text begins like that of Apple's exception.
  static func storeNotReachable(_ id: NSManagedObjectID) -> Never {
    fatalError(
      "Object's persistent store is not reachable from this NSManagedObjectContext's coordinator: "
        + "\(id.uriRepresentation().absoluteString); use existingObject(with:), which throws, or a context "
        + "of the coordinator that has the store"
    )
  }

  static func contextIsInUse(_ what: String) -> Never {
    fatalError(
      "Can't change the \(what) of a context that has objects; set it before the context's first use, or "
        + "create a new context."
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
