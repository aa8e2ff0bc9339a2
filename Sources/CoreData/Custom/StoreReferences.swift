// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel

/// Converts reference objects of a custom store to object IDs, and object IDs to reference objects.
final class StoreReferences: Sendable {
  /// Nil until the first conversion.
  private let table = Mutex<ReferenceTable?>(nil)

  /// Returns the ID of the object of `entity` that the reference object identifies.
  ///
  /// Stops the program if the entity does not belong to the store's model, or if no number is left.
  func id(
    of entity: NSEntityDescription,
    reference: Any,
    in store: NSPersistentStore
  ) -> NSManagedObjectID {
    let model = model(of: store)
    guard let definition = model.definition.entity(named: entity.name ?? "") else {
      Misuse.entityOfOtherStore(entity, store)
    }
    guard let key = table(of: store).key(of: definition, reference: reference) else {
      Misuse.noMoreReferences(definition.name, store)
    }
    return NSManagedObjectID(key: key, entity: model.entities[key.entity], store: store)
  }

  /// Returns the reference object of an ID; stops the program for a temporary ID or one of another store.
  func reference(of id: NSManagedObjectID, in store: NSPersistentStore) -> Any {
    guard id.coordinatorNumber == store.coordinatorNumber,
      let reference = table(of: store).reference(of: id.key)
    else { Misuse.idOfOtherStore(id, store) }
    return reference
  }

  /// Returns the text of the reference object of a key; nil if the store has not assigned the key.
  func text(of key: ObjectKey) -> String? { table.withLock { $0 }?.text(of: key) }

  /// Returns the key of the object of `entity` whose reference object is represented by `text` in a URI; nil
  /// if all numbers of the entity hierarchy are assigned.
  func key(
    of entity: EntityDefinition,
    text: String,
    in store: NSPersistentStore
  ) -> ObjectKey? {
    table(of: store).key(of: entity, text: text)
  }

  /// The greatest number assigned to a reference object in each hierarchy, by the index of the root entity.
  var lastNumbers: [Int: Int64] { table.withLock { $0 }?.lastNumbers ?? [:] }

  private func model(of store: NSPersistentStore) -> FrozenModel {
    guard let model = store.place.model else { Misuse.storeHasNoCoordinator(store) }
    return model
  }

  private func table(of store: NSPersistentStore) -> ReferenceTable {
    let definition = model(of: store).definition
    return table.withLock { table in
      if let table { return table }
      let made = ReferenceTable(store: store.index, model: definition)
      table = made
      return made
    }
  }
}
