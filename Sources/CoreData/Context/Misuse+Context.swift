// SPDX-License-Identifier: Apache-2.0

extension Misuse {
  static func contextHasNoCoordinator(_ context: NSManagedObjectContext) -> Never {
    fatalError(
      "\(context.queue.ownerDescription) has no persistent store coordinator, and so no model and no stores. "
        + "Set its persistentStoreCoordinator, or a parent that has one, before the first use."
    )
  }

  /// `isNameKnown` is true if the context's model has an entity with this name.
  static func entityOfOtherModel(_ name: String, isNameKnown: Bool) -> Never {
    fatalError(
      isNameKnown
        ? "An object of the entity '\(name)' cannot be inserted: the entity belongs to a different model, "
          + "or to a different copy of the context's model. Create the object with an entity of the "
          + "context's model."
        : "An object of the entity '\(name)' cannot be inserted: the context's model has no entity of that "
          + "name. Create the object with an entity of the context's model."
    )
  }

  static func insertsObjectOfOtherContext(_ object: NSManagedObject) -> Never {
    fatalError(
      "The object \(object.objectID) cannot be inserted: it is registered in another context, and an object "
        + "can be in one context only. Save the other context and call object(with:) on this context, or "
        + "create a new object in this context."
    )
  }

  /// `action` is the verb of the method that was called, such as “delete”.
  static func objectOfOtherContext(_ object: NSManagedObject, _ action: String) -> Never {
    fatalError(
      "An NSManagedObjectContext cannot \(action) objects in other contexts. The object \(object.objectID) is "
        + "registered in another context: call the method on its managedObjectContext, or pass the object "
        + "that object(with:) of this context returns for the ID."
    )
  }

  static func notObservable(_ keyPath: String) -> Never {
    fatalError(
      "The key path \(keyPath) cannot be observed. Observe \\.hasChanges or the notifications of a context, "
        + "and \\.migrationProgress or \\.currentEntityMapping of a migration manager."
    )
  }

  /// `reason` is a clause without a full stop at its end.
  static func cannotAssign(_ reason: String) -> Never {
    fatalError("Can't assign an object to a store: \(reason).")
  }
}
