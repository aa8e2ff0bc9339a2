// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataStore

/// Query generations: views that show a store as it was at one moment.
///
/// A view reads through its own connection, in one transaction that lasts as long as the view. In write-ahead
/// mode SQLite keeps the pages that this transaction needs, and writers are not blocked. In any other mode
/// the transaction would block writers, so no view is created.
/// Source: SQLite, “Write-Ahead Logging”.
extension SQLiteStore {
  /// Returns a view of the store's current state; nil if the store is not in write-ahead mode.
  ///
  /// The observer is not notified of the statements that open the view.
  /// - Throws: `StoreError.migratedMeanwhile` if another connection has migrated the store; `.cannotOpen`.
  /// - Complexity: opens one connection.
  package func generation() throws -> (any RowOrigin)? {
    if options.isInMemory { return nil }
    let connection = try Connection(options, isReader: true)
    try connection.configureReader(options)
    guard try connection.texts("PRAGMA journal_mode").first == "wal" else { return nil }
    try connection.beginReading()
    // The content of a view never changes, so one check is enough.
    connection.migrationCheck = try pool.migrationCheck(connection)
    try connection.checkModelVersion()
    let view = SQLiteStore(viewing: self, through: connection)
    try views.add(view)
    return view
  }
}

extension Connection {
  /// Begins a read transaction, which sees the current state of the file until the transaction ends.
  func beginReading() throws {
    _ = try texts("BEGIN")
    // The transaction's first read, not BEGIN, determines the state of the file that the transaction sees.
    _ = try texts("SELECT Z_UUID FROM Z_METADATA")
  }
}

final class StoreViews: Sendable {
  private struct View { weak var store: SQLiteStore? }
  private struct State {
    var views: [View] = []
    var isClosed = false
  }
  private let state = Mutex(State())

  /// Adds a view, which is closed together with the store.
  ///
  /// - Throws: `StoreError.closed` if the store is closed.
  func add(_ store: SQLiteStore) throws {
    try state.withLock { state in
      if state.isClosed {
        throw StoreError.closed(path: store.options.path)
      }
      state.views.removeAll { $0.store == nil }
      state.views.append(View(store: store))
    }
  }

  /// Closes all views, and prevents new views.
  func close() {
    let views = state.withLock { state in
      state.isClosed = true
      defer { state.views = [] }
      return state.views.compactMap(\.store)
    }
    for view in views { view.close() }
  }
}
