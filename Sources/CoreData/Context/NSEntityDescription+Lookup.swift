// SPDX-License-Identifier: Apache-2.0

extension NSEntityDescription {
  /// Returns the entity with the given name in the model of the context's coordinator, or nil if the model
  /// has no such entity.
  ///
  /// Stops the program if the context has no coordinator.
  public class func entity(
    forEntityName entityName: String,
    in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    guard let coordinator = context.persistentStoreCoordinator else {
      Misuse.contextHasNoModel(entityName: entityName)
    }
    return coordinator.managedObjectModel.entitiesByName[entityName]
  }

  /// Inserts a new object of the named entity and returns it as an instance of the entity's class.
  ///
  /// Stops the program if the model of the context's coordinator has no such entity, or if the context has no
  /// coordinator.
  public class func insertNewObject(
    forEntityName entityName: String,
    into context: NSManagedObjectContext
  ) -> NSManagedObject {
    guard let entity = entity(forEntityName: entityName, in: context) else {
      Misuse.unknownEntity(entityName)
    }
    return entity.managedObjectClass.init(entity: entity, insertInto: context)
  }
}
