// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// A store in an SQLite file with the tables of Apple's framework.
///
/// Can be used from any thread. Saves run one at a time. In write-ahead mode, reads have their own
/// connections and can run at the same time as a save.
///
/// Other processes may use the file at the same time; the store waits for their locks up to the timeout.
package final class SQLiteStore: RowStore {
  package let identifier: String
  package let type = "SQLite"
  package let model: ModelDefinition
  package let index: Int
  package let isReadOnly: Bool
  /// The tables and columns of the model in this file.
  package let layout: Layout
  /// The derived attributes that neither the file's triggers nor temporary triggers can compute.
  ///
  /// `name` has the form `Entity.attribute`; `expression` is the derivation expression.
  package let uncomputedAttributes: [(name: String, expression: String)]
  /// The columns of the file's history; nil if the file has no history.
  let history: HistoryLayout?
  let options: SQLiteStoreOptions
  let pool: ConnectionPool
  let planner: FetchPlanner
  let reader: RowReader
  let statements: StoreStatements
  /// Whether this is a query generation: a view of another store at a single moment.
  private let isView: Bool
  let valueFolderNames = ValueFolderNames()
  /// The files of the save that is being written.
  let savedFiles: ExternalFiles
  /// The open query generations of this store, which are closed together with the store.
  let views = StoreViews()

  /// Opens the file; if it is missing or empty, creates the model's tables.
  ///
  /// `shared` contains the resources that this store shares with a migration; nil if the store shares no
  /// resources.
  /// - Throws: `StoreError.cannotOpen` for a file that cannot be opened or created, and for a missing file
  ///   that is to be opened read-only; `.corrupt` if the file is not a database or not a Core Data store;
  ///   `.incompatibleModel` with the entities that differ; `.invalidRequest` for a model with an attribute
  ///   that no file can hold, and for a pragma that cannot be written into a statement; `.busy` if the file
  ///   is still locked after the timeout.
  package init(
    model: ModelDefinition,
    index: Int,
    options: SQLiteStoreOptions,
    shared: MigrationResources? = nil
  ) throws {
    let opened = try StoreFileOpener(model: model, options: options, shared: shared).open()
    self.model = model
    self.index = index
    self.options = options
    isReadOnly = opened.isReadOnly
    history = opened.history
    identifier = opened.identifier
    layout = opened.layout
    uncomputedAttributes = opened.uncomputed
    pool = ConnectionPool(options, writer: opened.connection, makeCheck: opened.makeCheck)
    // With SQL logging, rows are stepped one at a time, so that the log shows ordinary statements.
    planner = FetchPlanner(layout: layout, storeIndex: index, collects: options.log == nil)
    reader = RowReader(layout: layout, storeIndex: index, path: options.path)
    statements = StoreStatements(planner)
    savedFiles = ExternalFiles(options, names: valueFolderNames)
    isView = false
  }

  /// Creates a read-only view of `store`, which reads all rows through `connection`.
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
    savedFiles = store.savedFiles
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

  /// Replaces the application's entries in the metadata immediately, without waiting for a save; the
  /// framework's entries do not change.
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
