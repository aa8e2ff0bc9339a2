// SPDX-License-Identifier: Apache-2.0

import _CoreDataStore

/// The rows of a custom store, which can be copied to a store of a built-in type.
protocol TransferableRows: RowStore {
  /// Runs `body` with the greatest number that was assigned in each hierarchy, while no other call reaches the
  /// class, and closes the store.
  ///
  /// - Throws: errors of `body`, after which the store stays open.
  func endingWrites<T>(_ body: ([Int: Int64]) throws -> T) throws -> T
}
