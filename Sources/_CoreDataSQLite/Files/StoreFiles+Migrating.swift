// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// Operations for a migration into a new file.
extension StoreFiles {
  /// Removes the files of a store that no connection has open: the database, its side files and its large
  /// values; files that do not exist or cannot be removed are skipped.
  package func remove() {
    for suffix in ["", "-wal", "-shm", "-journal"] { unlink(path + suffix) }
    values.remove()
  }

  /// Runs `body` while other connections can read the store, but not write to it.
  ///
  /// - Throws: `StoreError.busy` if another connection keeps its lock until the timeout; the errors of `body`.
  package func blockingWrites<T>(_ body: () throws -> T) throws -> T {
    try connection().transaction(body)
  }

  /// Gives the store the UUID of another one.
  ///
  /// - Throws: as `metadata()`; `StoreError.busy` after the timeout.
  package func adoptIdentifier(of other: StoreFiles) throws {
    guard let identifier = try other.metadata().uuid else { return }
    let connection = try connection()
    try connection.transaction {
      let table = MetadataTable(connection)
      try table.write(try table.read(path: path).metadata, identifier: identifier)
    }
  }
}
