// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite
import _CoreDataStore

#if PostgreSQL
import _CoreDataPostgres
#endif

/// Saving a store at another URL, either with the same type or with another type.
extension NSPersistentStoreCoordinator {
  func migrate(
    _ store: NSPersistentStore,
    to url: URL,
    options: [AnyHashable: Any]?,
    type: String
  ) throws -> NSPersistentStore {
    let failure =
      "The store at \(self.url(for: store).withoutPassword) cannot be migrated to \(url.withoutPassword)."
    if StoreClasses.storeClass(for: type) != nil {
      throw Self.unsupported(
        failure,
        "Stores of the type \(type) are custom stores, which assign their own IDs. Add a store of this type, "
          + "and insert copies of the objects in a context."
      )
    }
    let kind = try StoreKind(type: type)
    if kind.isInFile { try Self.requireFileURL(url, failure) }
    if self.store(at: store.index) !== store { throw foreignStoreError(store) }
    let there = StoreSpecification(
      type: type,
      configuration: store.configurationName,
      url: url,
      options: options
    )
    if !kind.isInMemory, hasStore(there, at: url) {
      throw StoreOpener.alreadyAdded(
        url,
        remedy: "Migrate to another URL, or remove that store from the coordinator first."
      )
    }
    let new = try Self.translated {
      if kind == .sqlite, !store.isCustom, let rows = store.rows as? SQLiteStore {
        return try copyDatabase(rows, of: store, to: there)
      }
      return try copyObjects(of: store, to: there, kind)
    }
    didRemove(store)
    didAdd(new, replacing: store)
    return new
  }

  /// Copies the file of an SQLite store to another URL, and replaces the store in the list with the copy.
  private func copyDatabase(
    _ rows: SQLiteStore,
    of store: NSPersistentStore,
    to there: StoreSpecification
  ) throws -> NSPersistentStore {
    let url = there.url ?? NSPersistentStoreDescription.memory
    return try rows.saveAs(Self.files(url, there.options)) { copy in
      try replace(store, by: copy, at: there)
    }
  }

  /// Moves a finished copy to its destination, and replaces `store` in the list with the store there.
  private func replace(
    _ store: NSPersistentStore,
    by copy: StoreCopy,
    at there: StoreSpecification
  ) throws -> NSPersistentStore {
    // The copy is opened for validation before it replaces the file at the destination, so that an invalid
    // store leaves the destination unchanged.
    var beside = there
    beside.url = URL(fileURLWithPath: copy.path)
    try opener(for: beside, index: store.index).open().close()
    try copy.moveToDestination()
    do {
      // Object keys contain the store's index, so the new store must get the same index.
      return try replace(store, by: makeStore(there, index: store.index))
    } catch {
      copy.undoMove()
      throw error
    }
  }

  private func replace(
    _ store: NSPersistentStore,
    by new: NSPersistentStore
  ) throws -> NSPersistentStore {
    if replaceStore(store, for: new) { return new }
    new.rows.close()
    throw foreignStoreError(store)
  }

  // MARK: Stores of different types

  /// Copies all objects with their keys to a new store, and replaces `store` in the list with the new store.
  ///
  /// Saves to the old store are blocked during the copy.
  private func copyObjects(
    of store: NSPersistentStore,
    to there: StoreSpecification,
    _ kind: StoreKind
  ) throws -> NSPersistentStore {
    let metadata = try store.rows.metadata()
    func move(
      _ origin: any RowOrigin,
      _ lastNumbers: [Int: Int64]
    ) throws -> NSPersistentStore {
      let content = ContentSource(
        of: origin,
        model: frozen.definition,
        metadata: metadata,
        lastNumbers: lastNumbers
      )
      return try make(content, there, kind, replacing: store)
    }
    #if PostgreSQL
    if let rows = store.rows as? PostgresStore {
      return try rows.endingWrites { view, lastNumbers in try move(view, lastNumbers) }
    }
    #endif
    switch store.rows {
    case let rows as SQLiteStore:
      return try rows.endingWrites { lastNumbers in try move(rows, lastNumbers) }
    case let rows as FileStore:
      return try rows.endingWrites { try move($0.reader, $0.lastNumbers) }
    case let rows as MemoryStore:
      return try rows.endingWrites { try move($0.reader, $0.lastNumbers) }
    case let rows as any TransferableRows:
      return try rows.endingWrites { lastNumbers in try move(rows, lastNumbers) }
    default:
      throw Self.unsupported(
        "The store \(store.locationInText) cannot be migrated.",
        "Stores of the type \(store.type) cannot be copied."
      )
    }
  }

  /// Creates a store with the transferred objects, and replaces `store` in the list with the new store.
  private func make(
    _ content: ContentSource,
    _ there: StoreSpecification,
    _ kind: StoreKind,
    replacing store: NSPersistentStore
  ) throws -> NSPersistentStore {
    let url = there.url ?? NSPersistentStoreDescription.memory
    let opener = try opener(for: there, index: store.index)
    if kind == .sqlite {
      let files = Self.files(url, there.options)
      return try files.withNewStore(content, index: store.index, entities: opener.entities) {
        try replace(store, by: $0, at: there)
      }
    }
    #if PostgreSQL
    if kind == .postgreSQL {
      try PostgresStore.write(content, options: opener.postgresOptions())
      return try replace(store, by: makeStore(there, index: store.index))
    }
    #endif
    let rows: any RowStore =
      if let format = kind.format {
        try FileStore(
          ContentTransfer(content),
          index: store.index,
          format: format,
          options: opener.fileOptions(url)
        )
      } else {
        try MemoryStore(ContentTransfer(content), index: store.index)
      }
    return try replace(store, by: makeStore(there, rows, opener, index: store.index))
  }
}
