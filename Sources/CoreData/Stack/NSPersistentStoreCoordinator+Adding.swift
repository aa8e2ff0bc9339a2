// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// A store as an application describes it: its type, the model's configuration, its URL, and its options.
struct StoreSpecification {
  let type: String
  /// The name of the configuration; nil for the whole model.
  var configuration: String?
  /// The URL of the store; nil for a store of type InMemory without a URL.
  var url: URL?
  var options: [AnyHashable: Any]?
}

extension NSPersistentStoreCoordinator {
  /// Returns whether a store with the URL and, if the URL is that of a database, the same schema was added.
  func hasStore(_ specification: StoreSpecification, at url: URL) -> Bool {
    addedStore(specification, at: url) != nil
  }

  /// Returns the store with the URL and, if the URL is that of a database, the same schema.
  func addedStore(_ specification: StoreSpecification, at url: URL) -> NSPersistentStore? {
    guard url.isDatabaseServer else { return persistentStore(for: url) }
    func schema(_ options: [AnyHashable: Any]?) -> String {
      options?[PostgreSQLSchemaOption].map { "\($0)" } ?? "public"
    }
    return persistentStores.first {
      $0.url == url && schema($0.options) == schema(specification.options)
    }
  }

  /// Opens or creates a store for an index of the coordinator's list, without adding the store to the list.
  func makeStore(
    _ specification: StoreSpecification,
    index: Int
  ) throws -> NSPersistentStore {
    if let type = StoreClasses.storeClass(for: specification.type) {
      return try makeStore(specification, of: type, index: index)
    }
    let opener = try opener(for: specification, index: index)
    return try makeStore(specification, opener.open(), opener, index: index)
  }

  /// Creates a store for rows that are open, without adding the store to the coordinator's list.
  func makeStore(
    _ specification: StoreSpecification,
    _ rows: any RowStore,
    _ opener: StoreOpener,
    index: Int
  ) throws -> NSPersistentStore {
    if !managedObjectModel.isForTools {
      ModelWarnings.missingTransformers(of: frozen.definition)
      ModelWarnings.uncomputedAttributes(of: rows)
    }
    let store = NSPersistentStore(
      rows: rows,
      place: StorePlace(
        index: index,
        coordinator: number,
        type: specification.type,
        model: frozen,
        entities: try entities(of: specification.configuration),
        statements: opener.statements
      ),
      configuration: specification.configuration,
      url: specification.url,
      options: specification.options,
      coordinator: self
    )
    if opener.postsRemoteChanges {
      let poster = RemoteChangePoster(store)
      store.remoteChanges.withLock { $0 = poster }
    }
    return store
  }

  /// Creates a custom store, and loads and checks its metadata.
  ///
  /// - Throws: the errors of `CustomMetadata.check()`; errors of the store's class.
  private func makeStore(
    _ specification: StoreSpecification,
    of type: NSPersistentStore.Type,
    index: Int
  ) throws -> NSPersistentStore {
    let place = StorePlace(
      index: index,
      coordinator: number,
      type: specification.type,
      model: frozen,
      entities: try entities(of: specification.configuration)
    )
    let store = StorePlace.$pending.withValue(place) {
      type.init(
        persistentStoreCoordinator: self,
        configurationName: specification.configuration,
        at: specification.url ?? NSPersistentStoreDescription.memory,
        options: specification.options
      )
    }
    try store.loadMetadata()
    try CustomMetadata(store, frozen).check()
    _ = store.consumeUnsavedMetadata()
    try store.openRows()
    return store
  }

  func opener(for specification: StoreSpecification, index: Int) throws -> StoreOpener {
    var opener = StoreOpener(
      type: specification.type,
      url: specification.url,
      options: specification.options ?? [:],
      model: frozen.definition,
      index: index
    )
    opener.entities = try entities(of: specification.configuration)
      .map { Set($0.map { frozen.definition.entities[$0].name }) }
    opener.isModelReconstructed = managedObjectModel.isReconstructed
    opener.shell = managedObjectModel
    opener.configuration = specification.configuration
    return opener
  }

  /// Calls `didAdd(to:)` of the added store, and posts the notification of the coordinator.
  ///
  /// `former` is the store that the added store has replaced, if the UUID has changed.
  func didAdd(_ store: NSPersistentStore, replacing former: NSPersistentStore? = nil) {
    store.didAdd(to: self)
    var changes = [NSAddedPersistentStoresKey: [store]]
    if let former { changes[NSUUIDChangedPersistentStoresKey] = [former, store] }
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange,
      object: self,
      userInfo: changes
    )
  }

  private func entities(of configuration: String?) throws -> Set<Int>? {
    guard let configuration, configuration != NSPersistentStore.wholeModel else { return nil }
    guard let entities = frozen.definition.configurations[configuration] else {
      let names = frozen.definition.configurations.keys.sorted().joined(separator: ", ")
      throw coreDataError(
        NSCoreDataError,
        "The model has no configuration named “\(configuration)”. "
          + (names.isEmpty
            ? "It defines no configurations; pass nil to use the whole model."
            : "Use one of its configurations (\(names)), or pass nil to use the whole model.")
      )
    }
    return Set(entities)
  }

  /// Closes a store that was removed from the list, and posts the notifications of the removal.
  func didRemove(_ store: NSPersistentStore) {
    store.willRemove(from: self)
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorWillRemoveStore,
      object: store
    )
    store.leaveCoordinator()
    store.remoteChanges.withLock { $0 = nil }
    store.rows.close()
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange,
      object: self,
      userInfo: [NSRemovedPersistentStoresKey: [store]]
    )
  }

  func foreignStoreError(_ store: NSPersistentStore) -> NSError {
    let wasRemoved = store.coordinatorNumber == number
    return coreDataError(
      NSPersistentStoreOperationError,
      "The coordinator does not have the store \(store.locationInText), which "
        + (wasRemoved ? "was removed from it." : "was added to another coordinator.")
        + " Use one of the coordinator's persistentStores."
    )
  }
}
