// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQLite
import _CoreDataStore

/// The file or memory of a store: what `NSPersistentStoreCoordinator.setURL(_:for:)` replaces.
struct StoreConnection: Sendable {
  /// The implementation of the store, which reads and writes rows.
  let rows: any RowStore
  /// The counter of executed statements; always 0 for a store without SQL.
  let statements: StatementObserver
}
