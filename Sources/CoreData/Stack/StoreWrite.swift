// SPDX-License-Identifier: Apache-2.0

/// A store that was written to.
struct StoreWrite {
  /// Index of the store.
  let store: Int
  /// The number of the transaction in its history; nil where it has none.
  let transaction: Int64?
}
