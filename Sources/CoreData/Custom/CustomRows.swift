// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// The rows of a store whose class belongs to the program, and that two kinds of store divide into rows and
/// views.
protocol CustomRows: ContextualRows, TransferableRows {
  associatedtype Store: NSPersistentStore

  var frozen: FrozenModel { get }
  /// The store's coordinator; nil after its release.
  var coordinator: NSPersistentStoreCoordinator? { get }
  /// The store; nil after its release.
  var store: Store? { get }

  /// Calls `body` with the store, while no other thread calls the store.
  ///
  /// - Throws: `StoreError.closed` if the store was removed or released; errors of `body`.
  func calling<T>(_ body: (Store) throws -> T) throws -> T

  /// Asks the store's class to save the store's metadata.
  ///
  /// - Throws: errors of the class.
  func requestMetadataSave(by store: Store) throws
}

extension CustomRows {
  var model: ModelDefinition { frozen.definition }
  var isReadOnly: Bool { store?.isReadOnly ?? true }

  /// The error of a call after the store was removed or released.
  var closed: StoreError {
    StoreError(
      .closed,
      "the store with the UUID \(identifier) was removed from its coordinator; add it again"
    )
  }

  /// - Throws: `StoreError.readOnly` if the store was opened read-only.
  func checkWritable(_ store: Store) throws {
    if !store.isReadOnly { return }
    throw StoreError(
      .readOnly,
      "the store with the UUID \(identifier) was opened read-only; add it without "
        + NSReadOnlyPersistentStoreOption
    )
  }

  /// Calls `body` on the queue of a new context, which contains no objects.
  ///
  /// - Throws: `StoreError.closed` if the coordinator was released; errors of `body`.
  func withNewContext<T>(_ body: (NSManagedObjectContext) throws -> T) throws -> T {
    guard let coordinator else {
      throw StoreError(
        .closed,
        "the coordinator of the store with the UUID \(identifier) was released; keep the coordinator while "
          + "the store is in use"
      )
    }
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    return try context.queue.sync {
      try withExtendedLifetime(context) { try body(context) }
    }
  }

  // MARK: Metadata

  func metadata() throws -> StoreMetadata {
    try calling { store in
      StoreMetadata(CustomMetadata(store, frozen).completed(store.metadata ?? [:]))
    }
  }

  /// Sets the metadata, and asks the store's class to save them.
  func setMetadata(_ metadata: StoreMetadata) throws {
    try calling { store in
      let former = store.metadata
      store.metadata = CustomMetadata(store, frozen).completed(metadata.values)
      do {
        try saveMetadata(of: store)
      } catch {
        store.metadata = former
        _ = store.consumeUnsavedMetadata()
        throw error
      }
    }
  }

  func saveMetadataIfNeeded() throws {
    try calling { store in
      if store.consumeUnsavedMetadata() { try saveMetadata(of: store) }
    }
  }

  private func saveMetadata(of store: Store) throws {
    try checkWritable(store)
    _ = store.consumeUnsavedMetadata()
    try requestMetadataSave(by: store)
  }

  // MARK: New objects

  /// Returns the keys that the store's class assigns to new objects without values.
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey] {
    try withNewContext { context in
      let objects = entities.map { entity in
        let key = ObjectKey.temporary(entity: entity, number: TemporaryNumbers.next())
        let object = context.makeObject(for: key)
        context.graph.insert(object)
        return NSManagedObjectContext.managed(object)
      }
      return try permanentKeys(for: objects)
    }
  }
}
