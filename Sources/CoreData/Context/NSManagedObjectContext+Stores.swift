// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectContext {
  func assignStore(of object: Any, _ store: NSPersistentStore) {
    checkQueue("assign(_:to:)", object)
    guard let object = object as? NSManagedObject else {
      Misuse.cannotAssign(
        "the value is of type \(type(of: object)), not NSManagedObject. Pass a managed object"
      )
    }
    guard object.registry === registry else {
      Misuse.cannotAssign(
        "the object \(object.objectID) is not in this context. Insert it into this context first"
      )
    }
    guard object.key.isTemporary, object.isInserted else {
      Misuse.cannotAssign(
        "the object \(object.objectID) is not a new object of this context. Assign an object before its "
          + "first save, and before it gets a permanent ID"
      )
    }
    guard store.persistentStoreCoordinator === coordinator else {
      Misuse.cannotAssign(
        "the store \(store.locationInText) does not belong to the context's coordinator. Use one of the "
          + "coordinator's persistentStores"
      )
    }
    guard store.entities?.contains(object.key.entity) ?? true else {
      Misuse.cannotAssign(
        "the configuration “\(store.configurationName)” of the store \(store.locationInText) does not "
          + "contain the entity \(object.entityDefinition.name). Use a store whose configuration contains it"
      )
    }
    assignedStores[object.key] = store.index
  }
}
