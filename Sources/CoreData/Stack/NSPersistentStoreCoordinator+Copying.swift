// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

#if PostgreSQL
import _CoreDataPostgres
#endif

/// Copying a store to another URL, while the store stays in the coordinator; for the command `coredata`.
extension NSPersistentStoreCoordinator {
  /// Writes the objects of a store, which `content(of:)` has returned, to a new store, and replaces a store at
  /// `url`.
  ///
  /// The objects keep their keys; an XML or binary store numbers objects again whose numbers several hierarchies
  /// have. The new store has its own UUID and no history. `progress` gets the number of objects written so far.
  /// - Returns: the objects with other numbers in the file; nil if there are no such objects.
  /// - Throws: as `migratePersistentStore(_:to:options:type:)`. The store at `url` is then unchanged.
  /// - Complexity: O(objects). A block of 5,000 objects and the keys of one hierarchy are in memory, or all
  ///   objects if one of the stores is an XML or binary store.
  package func copy(
    _ content: ContentSource,
    of store: NSPersistentStore,
    to url: URL,
    type: NSPersistentStore.StoreType,
    options: [AnyHashable: Any]? = nil,
    progress: @escaping (Int) -> Void = { _ in }
  ) throws -> FileNumbers? {
    let kind = try StoreKind(type: type.rawValue)
    let there = StoreSpecification(
      type: type.rawValue,
      configuration: store.configurationName,
      url: url,
      options: options
    )
    if kind.isInFile {
      try Self.requireFileURL(url, "The store \(store.locationInText) cannot be copied.")
    }
    return try Self.translated {
      let content = ReportedContent(content: content, progress: progress)
      let opener = try opener(for: there, index: store.index)
      #if PostgreSQL
      if kind == .postgreSQL {
        try PostgresStore.write(content, options: opener.postgresOptions())
        return nil
      }
      #endif
      if let format = kind.format {
        let transfer = try ContentTransfer(content)
        let rows = try FileStore(
          transfer,
          index: store.index,
          format: format,
          options: opener.fileOptions(url)
        )
        defer { rows.close() }
        return rows.numbers
      }
      let files = Self.files(url, options)
      try files.withNewStore(content, index: store.index, entities: opener.entities) {
        try $0.moveToDestination()
      }
      return nil
    }
  }

  /// Returns the objects of a store as they are now.
  ///
  /// Later saves do not change what is read, unless the store is a rollback-journal SQLite store.
  /// - Throws: `StoreError`.
  package func content(of store: NSPersistentStore) throws -> ContentSource {
    let metadata = try store.rows.metadata()
    func content(_ origin: any RowOrigin, _ lastNumbers: [Int: Int64]) -> ContentSource {
      ContentSource(
        of: origin,
        model: frozen.definition,
        metadata: metadata,
        lastNumbers: lastNumbers
      )
    }
    #if PostgreSQL
    if let rows = store.rows as? PostgresStore {
      return try content(rows.generation() ?? rows, rows.lastNumbers())
    }
    #endif
    if let rows = store.rows as? SQLiteStore {
      return try content(rows.generation() ?? rows, rows.lastNumbers())
    }
    return content(store.rows, [:])
  }
}

/// The objects of a content, whose number is reported while they are written.
private struct ReportedContent: TransferredContent {
  let content: ContentSource
  let progress: (Int) -> Void

  var model: ModelDefinition { content.model }
  var metadata: StoreMetadata { content.metadata }

  func forEachBatch(_ body: (SaveBatch) throws -> Void) throws -> [Int: Int64] {
    var count = 0
    return try content.forEachBatch { batch in
      try body(batch)
      count += batch.inserts.count
      progress(count)
    }
  }
}
