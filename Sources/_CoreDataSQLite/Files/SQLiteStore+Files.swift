// SPDX-License-Identifier: Apache-2.0

import _CoreDataStore

/// Blocks writes to a store while its file is replaced or destroyed, or while the store moves to another
/// location.
extension SQLiteStore {
  /// Runs `body` while no write runs in this store.
  ///
  /// If `body` returns, the store rejects all further writes and must be closed.
  ///
  /// - Throws: `StoreError.closed` for a closed store; `.invalidRequest` inside a write on this thread;
  ///   errors of `body`.
  package func endingWrites<T>(_ body: () throws -> T) throws -> T {
    try pool.writeLast { _ in try body() }
  }

  /// Makes a copy of this store for another location, and runs `body`, which moves the copy to that location.
  ///
  /// The copy has its own UUID and no history. No write runs in this store until `body` returns. If `body`
  /// returns, this store rejects all further writes; if an error is thrown, writes are possible again.
  /// - Throws: as `endingWrites(_:)`; `StoreError.invalidRequest` if the location is this store's, or if both
  ///   stores would share the folder of large values; `.cannotRead` if that folder cannot be listed;
  ///   `.cannotWrite` if the copy cannot be written.
  package func saveAs<T>(_ files: StoreFiles, _ body: (StoreCopy) throws -> T) throws -> T {
    try pool.writeLast { connection in
      let copy = try files.copy(of: self, through: connection)
      defer { copy.discard() }
      return try body(copy)
    }
  }
}
