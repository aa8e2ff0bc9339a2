// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectContext {
  func assignStore(of object: Any, _ store: NSPersistentStore) {
    checkQueue("assign(_:to:)", object)
    guard let object = object as? NSManagedObject, object.registry === registry,
      object.key.isTemporary, object.isInserted
    else { Misuse.cannotAssign("the object is not a newly inserted object of this context") }
    guard store.persistentStoreCoordinator === coordinator else {
      Misuse.cannotAssign("the store does not belong to the context's coordinator")
    }
    guard store.entities?.contains(object.key.entity) ?? true else {
      Misuse.cannotAssign(
        "the store's configuration does not contain the entity \(object.entityDefinition.name)"
      )
    }
    assignedStores[object.key] = store.index
  }
}
