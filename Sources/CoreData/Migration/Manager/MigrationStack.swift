// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One of the two stacks of a migration: a coordinator with at most one store, and a context.
final class MigrationStack {
  let model: NSManagedObjectModel
  let context: NSManagedObjectContext
  private let coordinator: NSPersistentStoreCoordinator

  /// Creates a stack without a store.
  ///
  /// The objects of a source are plain `NSManagedObject`s: the classes of the program fit the current model,
  /// and may use properties that the source does not have.
  init(model: NSManagedObjectModel, isSource: Bool) {
    if isSource, let copy = model.copy() as? NSManagedObjectModel {
      copy.isForTools = true
      self.model = copy
    } else {
      self.model = model
    }
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: self.model)
    context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
  }

  /// Adds the store; creates it if it does not exist.
  func open(_ store: MigratedStore) throws {
    try coordinator.addPersistentStore(
      ofType: store.type,
      configurationName: nil,
      at: store.url,
      options: store.options
    )
  }

  /// Removes the store, so that its file is complete.
  func close() {
    reset()
    for store in coordinator.persistentStores {
      // The error is dropped: it says that the store is not there, as is intended.
      try? coordinator.remove(store)
    }
  }

  func reset() { context.performAndWait { context.reset() } }

  /// The application's own metadata of the store; Apple's keys have effect in no store.
  var metadata: [String: Any] {
    get { coordinator.persistentStores.first?.metadata ?? [:] }
    set {
      if let store = coordinator.persistentStores.first {
        coordinator.setMetadata(newValue, for: store)
      }
    }
  }
}
