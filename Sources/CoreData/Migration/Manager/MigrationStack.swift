// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One of the two stacks of a migration: a coordinator with at most one store, and a context.
final class MigrationStack {
  let model: NSManagedObjectModel
  let context: NSManagedObjectContext
  private let coordinator: NSPersistentStoreCoordinator

  /// Creates a stack without a store.
  ///
  /// The objects of a source are plain `NSManagedObject`s, because the program's classes may use properties
  /// that an old model does not have.
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

  func open(_ store: MigratedStore) throws {
    try coordinator.addPersistentStore(
      ofType: store.type,
      configurationName: nil,
      at: store.url,
      options: store.options
    )
  }

  func close() {
    reset()
    for store in coordinator.persistentStores {
      // The error is dropped, because it only reports that the store was already removed.
      try? coordinator.remove(store)
    }
  }

  /// The size of the store's file in bytes; 0 if there is no store or the size cannot be read.
  var fileSize: Int {
    var status = stat()
    guard let path = coordinator.persistentStores.first?.url?.path, stat(path, &status) == 0 else {
      return 0
    }
    return Int(status.st_size)
  }

  func reset() { context.performAndWait { context.reset() } }

  /// The metadata of the store; empty without a store.
  ///
  /// Setting Apple's keys has no effect.
  var metadata: [String: Any] {
    get { coordinator.persistentStores.first?.metadata ?? [:] }
    set {
      if let store = coordinator.persistentStores.first {
        coordinator.setMetadata(newValue, for: store)
      }
    }
  }
}
