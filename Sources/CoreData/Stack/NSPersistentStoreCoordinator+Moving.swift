// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

extension NSPersistentStoreCoordinator {
  /// Makes a store use the file at another URL.
  ///
  /// For a store in memory, or a custom store, only the URL changes. An XML or binary store keeps its
  /// objects; the next save writes all of them to the file at `url`, and replaces the former content of that
  /// file.
  ///
  /// The file of an SQLite store must already exist at `url`: copy it there first, for example with
  /// `replacePersistentStore(at:withPersistentStoreFrom:type:)`. From then on the file at `url` is read and
  /// written instead of the former file, with the same options. Objects keep the values that are in memory;
  /// refresh them if the rows differ. A context that is pinned to a query generation reads the former file
  /// until it leaves the generation.
  ///
  /// If the UUIDs differ, posts `NSPersistentStoreCoordinatorStoresDidChange` with the store under
  /// `NSUUIDChangedPersistentStoresKey`.
  ///
  /// - Returns: true if the store has the URL now. Otherwise nothing has changed, and the reason is written
  ///   to standard error.
  /// - Source: documented, “setURL(_:for:)” (PSC-8).
  @discardableResult
  public func setURL(_ url: URL, for store: NSPersistentStore) -> Bool {
    let former = store.uuid
    do {
      try queue.sync { try move(store, to: url) }
    } catch {
      let error = cocoaError(error)
      Diagnostics.note(
        "the URL of the store \(store.locationInText) was not changed: \(error.localizedDescription) "
          + (error.localizedFailureReason ?? "")
      )
      return false
    }
    if store.uuid != former { didChangeUUID(of: store) }
    return true
  }

  private func move(_ store: NSPersistentStore, to url: URL) throws {
    if self.store(at: store.index) !== store { throw foreignStoreError(store) }
    if let other = persistentStore(for: url) {
      if other === store { return }
      throw StoreOpener.alreadyAdded(url, remedy: "Remove that store first, or use another URL.")
    }
    if store.isCustom {
      store.url = url
      return
    }
    if try StoreKind(type: store.type).isInMemory { return store.connect(store.rows, at: url) }
    if let rows = store.rows as? FileStore {
      try Self.requireFileURL(url, "The store \(store.locationInText) cannot use the new URL.")
      try rows.move(to: url.path)
      return store.connect(rows, at: url)
    }
    // Opening a store creates a missing file. Reading the metadata throws an error instead.
    _ = try Self.metadata(store.type, url)
    let specification = StoreSpecification(
      type: store.type,
      configuration: store.configurationName,
      url: url,
      options: store.options
    )
    var opener = try opener(for: specification, index: store.index)
    opener.statements = store.statements
    store.connect(try opener.open(), at: url)
    if opener.postsRemoteChanges {
      let poster = RemoteChangePoster(store)
      store.remoteChanges.withLock { $0 = poster }
    }
  }

  private func didChangeUUID(of store: NSPersistentStore) {
    NotificationCenter.default.post(
      name: .NSPersistentStoreCoordinatorStoresDidChange,
      object: self,
      userInfo: [NSUUIDChangedPersistentStoresKey: [store, store]]
    )
  }
}
