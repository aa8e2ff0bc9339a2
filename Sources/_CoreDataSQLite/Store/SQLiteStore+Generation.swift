// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataStore

/// One moment of a store: a read transaction on a separate connection, which lasts as long as the view.
///
/// A store in write-ahead mode keeps the pages that such a reader needs, and writers are not blocked. In any
/// other mode the reader would block writers, so there is no view. Source: SQLite, “Write-Ahead Logging”.
extension SQLiteStore {
  /// Returns a view of the store's current state; nil if the store is not in write-ahead mode.
  ///
  /// - Throws: `StoreError.migratedMeanwhile` if another connection has migrated the store; `.cannotOpen`.
  /// - Complexity: opens a connection; the observer is not notified of the connection's statements.
  package func generation() throws -> (any RowOrigin)? {
    if options.isInMemory { return nil }
    let connection = try Connection(options, isReader: true)
    try connection.configureReader(options)
    guard try connection.texts("PRAGMA journal_mode").first == "wal" else { return nil }
    try connection.beginReading()
    // The view does not change any more, so one check is enough.
    connection.versionCheck = try pool.versionCheck(connection)
    try connection.checkModelVersion()
    let view = SQLiteStore(viewing: self, through: connection)
    try views.add(view)
    return view
  }
}

extension Connection {
  /// Begins a read transaction, which sees the current state of the file until it ends.
  func beginReading() throws {
    _ = try texts("BEGIN")
    // The first read of a transaction determines its position in the log.
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
  /// - Throws: `StoreError.closed`.
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
