// SPDX-License-Identifier: Apache-2.0

extension Misuse {
  static func storeHasNoCoordinator(_ store: NSPersistentStore) -> Never {
    fatalError(
      "The store of the class \(type(of: store)) has no coordinator and therefore no model. Add a store with "
        + "addPersistentStore(type:configuration:at:options:) instead of creating an instance."
    )
  }

  static func entityOfOtherStore(
    _ entity: NSEntityDescription,
    _ store: NSPersistentStore
  ) -> Never {
    fatalError(
      "The store \(store.locationInText) has no objects of the entity '\(entity.name ?? "")', because the model "
        + "of its coordinator has no entity of that name. Use an entity of that model."
    )
  }

  static func noMoreReferences(_ entity: String, _ store: NSPersistentStore) -> Never {
    fatalError(
      "The store \(store.locationInText) has no number left for a new object of the entity \(entity): an "
        + "entity hierarchy can have at most 2199023255551 objects."
    )
  }

  static func notAPropertyOfNode(_ key: String, _ node: NSAtomicStoreCacheNode) -> Never {
    fatalError(
      "A cache node of the entity '\(node.objectID.entity.name ?? "")' has no key '\(key)', because the entity has no "
        + "property of that name. Override value(forKey:) and setValue(_:forKey:) in a subclass for other keys."
    )
  }

  static func storeHasNoReferences(_ store: NSPersistentStore) -> Never {
    fatalError(
      "New objects cannot be saved in the store \(store.locationInText), because the class \(type(of: store)) does not "
        + "override newReferenceObject(for:)."
    )
  }

  static func idOfOtherStore(_ id: NSManagedObjectID, _ store: NSPersistentStore) -> Never {
    fatalError(
      "The ID \(id.uriRepresentation().absoluteString) has no reference object in the store "
        + "\(store.locationInText)"
        + (id.isTemporaryID
          ? ", because the ID is temporary. Save the object first."
          : ", because the ID belongs to another store. Use an ID of this store.")
    )
  }
}
