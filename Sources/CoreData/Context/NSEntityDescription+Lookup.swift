// SPDX-License-Identifier: Apache-2.0

/// Entities of a context's model.
extension NSEntityDescription {
  /// The entity of that name in the model of the context's coordinator; nil for an unknown name.
  ///
  /// A context without coordinator stops the program.
  public class func entity(
    forEntityName entityName: String,
    in context: NSManagedObjectContext
  ) -> NSEntityDescription? {
    guard let coordinator = context.persistentStoreCoordinator else {
      Misuse.contextHasNoModel(entityName: entityName)
    }
    return coordinator.managedObjectModel.entitiesByName[entityName]
  }

  /// A new object of the named entity, in the entity's class.
  ///
  /// An unknown name and a context without coordinator stop the program.
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
