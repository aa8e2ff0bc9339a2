// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// A store in one SQLite file of Apple's layout.
///
/// Safe to use from any thread. Saves exclude each other, and reads of a file in write-ahead mode can run
/// concurrently with a save on their own connections.
///
/// Other processes may use the file at the same time; the store waits for locks up to the timeout.
package final class SQLiteStore: RowStore {
  package let identifier: String
  package let type = "SQLite"
  package let model: ModelDefinition
  package let index: Int
  package let isReadOnly: Bool
  /// The tables and columns of the model in this file.
  package let layout: Layout
  /// Derived attributes that are never computed, as `Entity.attribute`, with their expressions.
  package let uncomputedAttributes: [(name: String, expression: String)]
  /// The columns of the file's history; nil if the file has no history.
  let history: HistoryLayout?
  let options: SQLiteStoreOptions
  let pool: ConnectionPool
  let planner: FetchPlanner
  let reader: RowReader
  let statements: StoreStatements
  /// Whether this is a view of another store at a single moment.
  private let isView: Bool
  /// The views of this store at single moments; they are closed together with the store.
  let views = StoreViews()

  /// Opens the file; if it is missing or empty, creates the model's tables.
  ///
  /// - Throws: `StoreError.cannotOpen` for a file that cannot be opened or created, and for a missing file
  ///   that is to be opened read-only; `.corrupt` if the file is not a database or not a Core Data store;
  ///   `.incompatibleModel` with the entities that differ; `.invalidRequest` for a model with an attribute
  ///   that no file can hold, and for a pragma that cannot be written into a statement; `.busy` after the
  ///   timeout.
  package init(model: ModelDefinition, index: Int, options: SQLiteStoreOptions) throws {
    let opened = try StoreFileOpener(model: model, options: options).open()
    self.model = model
    self.index = index
    self.options = options
    isReadOnly = opened.isReadOnly
    history = opened.history
    identifier = opened.identifier
    layout = opened.layout
    uncomputedAttributes = opened.uncomputed
    pool = ConnectionPool(options, writer: opened.connection, opening: opened.version)
    // With SQL logging, rows are stepped one at a time, so that the log shows ordinary statements.
    planner = FetchPlanner(layout: layout, storeIndex: index, collects: options.log == nil)
    reader = RowReader(layout: layout, storeIndex: index, path: options.path)
    statements = StoreStatements(planner)
    isView = false
  }

  /// Creates a view of `store` that reads through one connection and cannot be written to.
  init(viewing store: SQLiteStore, through connection: Connection) {
    model = store.model
    index = store.index
    options = store.options
    isReadOnly = true
    history = store.history
    identifier = store.identifier
    layout = store.layout
    uncomputedAttributes = store.uncomputedAttributes
    pool = ConnectionPool(store.options, pinned: connection)
    planner = store.planner
    reader = store.reader
    statements = store.statements
    isView = true
  }

  package func close() {
    views.close()
    pool.close()
  }

  // MARK: Metadata

  package func metadata() throws -> StoreMetadata {
    try pool.read { try MetadataTable($0).read(path: options.path).metadata }
  }

  /// Replaces the application's keys of the metadata at once; the framework's keys do not change.
  package func setMetadata(_ metadata: StoreMetadata) throws {
    if isReadOnly { throw readOnly }
    try pool.write { connection in
      try connection.transaction {
        try MetadataTable(connection).replaceOwn(by: metadata, path: options.path)
      }
    }
  }

  var readOnly: StoreError {
    let reason =
      if isView {
        "a query generation can only be read; write to the store itself"
      } else if options.isReadOnly {
        "the store was opened for reading only; open it with its model and without "
          + "NSReadOnlyPersistentStoreOption to write to it"
      } else {
        "the store can only be read, because it has a persistent history and was opened without "
          + "NSPersistentHistoryTrackingKey; set this option to write to it"
      }
    return StoreError(.readOnly, reason, path: options.path)
  }
}

extension StoreMetadata {
  /// Returns whether the metadata key belongs to the framework.
  static func isReserved(_ key: String) -> Bool {
    switch key {
    case typeKey, uuidKey, hashesKey, hashesVersionKey, hashesDigestKey, checksumKey,
      identifiersKey, frameworkVersionKey, autoVacuumKey, "NSPersistenceMaximumFrameworkVersion":
      true
    default: false
    }
  }
}
