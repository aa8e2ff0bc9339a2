// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataStore

/// One moment of a store: a read transaction on a connection of its own, held for as long as the view.
///
/// A store in write-ahead mode keeps the pages that such a reader needs, and writers go on. In any other
/// mode the reader would keep writers out, so there is no view. Source: SQLite, “Write-Ahead Logging”.
extension SQLiteStore {
  /// - Complexity: opens a connection; two statements, which the observer is not told of.
  package func generation() throws -> (any RowOrigin)? {
    if options.isInMemory { return nil }
    let connection = try Connection(options, isReader: true)
    try connection.configureReader(options)
    guard try connection.texts("PRAGMA journal_mode").first == "wal" else { return nil }
    try connection.beginReading()
    let view = SQLiteStore(viewing: self, through: connection)
    try views.add(view)
    return view
  }
}

extension Connection {
  /// Begins a read transaction that sees the file as it is now.
  func beginReading() throws {
    _ = try texts("BEGIN")
    // The transaction takes its place in the log with the first read.
    _ = try texts("SELECT Z_UUID FROM Z_METADATA")
  }
}

/// The living views of a store.
final class StoreViews: Sendable {
  private struct View { weak var store: SQLiteStore? }
  private struct State {
    var views: [View] = []
    var isClosed = false
  }
  private let state = Mutex(State())

  /// - Throws: `StoreError.closed`.
  func add(_ store: SQLiteStore) throws {
    try state.withLock { state in
      if state.isClosed { throw StoreError(.closed, "the store is closed") }
      state.views.removeAll { $0.store == nil }
      state.views.append(View(store: store))
    }
  }

  /// Ends the use of all views, and lets no other begin.
  func close() {
    let views = state.withLock { state in
      state.isClosed = true
      defer { state.views = [] }
      return state.views.compactMap(\.store)
    }
    for view in views { view.close() }
  }
}
