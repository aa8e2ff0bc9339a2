// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectContext {
  func assignStore(of object: Any, _ store: NSPersistentStore) {
    checkQueue("assign(_:to:)", object)
    guard let object = object as? NSManagedObject, object.registry === registry,
      object.key.isTemporary, object.isInserted
    else {
      Misuse.cannotAssign(
        "the object is not a newly inserted object of this context. Insert the object into this context, "
          + "and assign it before the first save"
      )
    }
    guard store.persistentStoreCoordinator === coordinator else {
      Misuse.cannotAssign(
        "the store does not belong to the context's coordinator. Use one of the coordinator's "
          + "persistentStores"
      )
    }
    guard store.entities?.contains(object.key.entity) ?? true else {
      Misuse.cannotAssign(
        "the store's configuration does not contain the entity \(object.entityDefinition.name). Use a store "
          + "whose configuration contains it"
      )
    }
    assignedStores[object.key] = store.index
  }
}
