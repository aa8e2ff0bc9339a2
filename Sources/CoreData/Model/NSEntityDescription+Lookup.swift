// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSEntityDescription {
  static func lookUp(_ name: String, in context: NSManagedObjectContext) -> NSEntityDescription? {
    guard let coordinator = context.persistentStoreCoordinator else {
      Misuse.contextHasNoModel(entityName: name)
    }
    return coordinator.managedObjectModel.entitiesByName[name]
  }

  static func insert(_ name: String, into context: NSManagedObjectContext) -> NSManagedObject {
    guard let entity = lookUp(name, in: context) else { Misuse.unknownEntity(name) }
    return entity.managedObjectClass.init(entity: entity, insertInto: context)
  }

  /// The class of the entity's objects; `NSManagedObject` where its own is not found.
  package var managedObjectClass: NSManagedObject.Type {
    frozen?.managedObjectClass(at: frozenIndex)
      ?? ManagedObjectClasses.resolve(explicitClassName, modules: [])
      ?? NSManagedObject.self
  }
}
