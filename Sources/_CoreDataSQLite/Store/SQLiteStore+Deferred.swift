// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQL
import _CoreDataStore

extension SQLiteStore {
  /// Drops one leftover of a deferred migration, in one transaction.
  ///
  /// With the last leftover, the mark of an unfinished migration is removed from the metadata. Returns false
  /// if the store has neither leftovers nor this mark.
  /// - Throws: `StoreError.readOnly` if there is something to remove from a read-only store; `.busy` if
  ///   another connection keeps its lock until the timeout; the errors of writing to the file.
  /// - Complexity: O(rows of the table) for a column. Other connections cannot write meanwhile.
  package func removeLeftover() throws -> Bool {
    let isUnfinished = try pool.read { connection in
      let metadata = try MetadataTable(connection).read(path: options.path).metadata
      return try metadata.values[StoreMetadata.deferredKey] != nil
        || !Leftover.all(in: StoreCatalogue(connection).schema()).isEmpty
    }
    if !isUnfinished { return false }
    if isReadOnly { throw readOnly }
    try pool.write { connection in
      try connection.transaction {
        let left = Leftover.all(in: try StoreCatalogue(connection).schema())
        if let first = left.first { try connection.execute(first.removal) }
        if left.count < 2 {
          try MetadataTable(connection).removeDeferredMark(path: options.path)
        }
      }
    }
    return true
  }
}
