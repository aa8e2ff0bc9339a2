// SPDX-License-Identifier: Apache-2.0

/// A committed write to one store.
struct StoreWrite {
  let store: Int
  /// The number of the transaction in the store's history; nil if the store has no history.
  let transaction: Int64?
}
