// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Synchronization
import _CoreDataStore

extension PostgresStore {
  /// Returns a view of the store's current rows, which has a connection of its own until it is released.
  ///
  /// While the view exists, the server keeps the versions of rows that it can see.
  /// - Throws: `StoreError`.
  package func generation() throws -> (any RowOrigin)? {
    var settings = options.settings
    settings.idleTimeout = 0
    settings.isReadOnly = true
    let connection = try PostgresConnection(options.address, settings: settings)
    try connection.execute("BEGIN ISOLATION LEVEL REPEATABLE READ READ ONLY")
    // The first read of the transaction, not BEGIN, determines the moment that it sees.
    try connection.run("SELECT z_uuid FROM z_metadata")
    try standbys?.see(connection)
    let moment = PostgresMoment(self, connection)
    try moments.add(moment)
    return moment
  }
}

extension PostgresStore {
  /// Closes the open views of the store, before its tables are dropped or replaced; later reads of the views throw
  /// `StoreError.closed`.
  package func endGenerations() { moments.end() }
}

/// The open views of a store, which are closed together with the store.
final class PostgresMoments: Sendable {
  private struct View { weak var moment: PostgresMoment? }
  private struct State {
    var views: [View] = []
    var isClosed = false
  }
  private let state = Mutex(State())

  /// - Throws: `StoreError.closed` if the store is closed.
  func add(_ moment: PostgresMoment) throws {
    try state.withLock { state in
      if state.isClosed {
        throw StoreError(.closed, "the store is closed; add it to a coordinator again")
      }
      state.views.removeAll { $0.moment == nil }
      state.views.append(View(moment: moment))
    }
  }

  func close() {
    state.withLock { $0.isClosed = true }
    end()
  }

  /// Closes the open views, whose transactions hold locks.
  func end() {
    let moments = state.withLock { state in
      defer { state.views = [] }
      return state.views.compactMap(\.moment)
    }
    for moment in moments { moment.close() }
  }
}
#endif
