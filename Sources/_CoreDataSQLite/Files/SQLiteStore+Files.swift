// SPDX-License-Identifier: Apache-2.0

import _CoreDataStore

/// The end of a store whose file or place becomes another's.
extension SQLiteStore {
  /// Runs `body` while nobody saves here; unless it throws nobody does afterwards, and the store is to be
  /// closed.
  ///
  /// - Throws: `StoreError.closed`, `.invalidRequest` from inside a save, and what `body` throws.
  package func endingWrites<T>(_ body: () throws -> T) throws -> T {
    try pool.writeLast { _ in try body() }
  }

  /// Makes a copy for another place, with a UUID of its own and without history, and runs `body` with it,
  /// which puts it there; nobody saves here meanwhile, nor afterwards, unless something throws.
  ///
  /// - Throws: as `endingWrites(_:)`; `StoreError.invalidRequest` where the place is this store's,
  ///   `.cannotWrite`.
  package func saveAs<T>(_ files: StoreFiles, _ body: (StoreCopy) throws -> T) throws -> T {
    try pool.writeLast { connection in
      let copy = try files.copy(of: self, through: connection)
      defer { copy.discard() }
      return try body(copy)
    }
  }
}
