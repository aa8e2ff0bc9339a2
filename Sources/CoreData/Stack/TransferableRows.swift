// SPDX-License-Identifier: Apache-2.0

import _CoreDataStore

/// The rows of a custom store, which can be copied to a store of a built-in type.
protocol TransferableRows: RowStore {
  /// Runs `body` with the greatest number assigned in each entity hierarchy, by the index of the root entity,
  /// and then closes the store.
  ///
  /// No other thread calls the store's class while `body` runs.
  /// - Throws: errors of `body`; the store then stays open.
  func endingWrites<T>(_ body: ([Int: Int64]) throws -> T) throws -> T
}
