// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A store that can keep a history of its transactions.
package protocol HistoryStore: RowStore {
  /// Whether the store has a history, in which every write to the store is recorded.
  var hasHistory: Bool { get }

  /// Returns the first and last transaction numbers of the history; nil if the store has no history.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: one statement.
  func historyExtent() throws -> HistoryExtent?

  /// Returns the transactions in `range`, sorted by number.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: one statement, O(transactions in the range).
  func historyTransactions(_ range: HistoryRange) throws -> [HistoryTransaction]

  /// Returns the changes of the given transactions, sorted by transaction number and then by change number.
  ///
  /// Changes of entities that the model does not have are left out.
  /// - Throws: `StoreError`.
  /// - Complexity: one statement, O(changes).
  func historyChanges(of transactions: [Int64]) throws -> [HistoryChange]

  /// Deletes the transactions in `range` with their changes, and returns the number of deleted transactions.
  ///
  /// - Throws: `StoreError`.
  func deleteHistory(_ range: HistoryRange) throws -> Int
}

/// The numbers of the first and the last transaction of a history.
package struct HistoryExtent: Sendable, Hashable {
  /// The number of the oldest transaction that still exists; nil if the history is empty.
  package let first: Int64?
  /// The number most recently assigned to a transaction, even if that transaction has been deleted.
  ///
  /// The number is 0 before the first transaction.
  package let last: Int64

  package init(first: Int64?, last: Int64) {
    self.first = first
    self.last = last
  }

  /// Returns whether the history still contains every transaction after `number`.
  ///
  /// Returns false if `number` was never assigned, unless it is 0.
  package func reaches(_ number: Int64) -> Bool {
    number >= 0 && number <= last && (number == last || (first ?? .max) <= number + 1)
  }
}

/// A range of transactions of a history; the bounds are excluded.
package enum HistoryRange: Sendable, Hashable {
  case all
  /// Transactions with a number greater than the associated value.
  case after(Int64)
  /// Transactions with a number less than the associated value.
  case before(Int64)
  /// Transactions later than a time, in seconds since 2001.
  case since(Double)
  /// Transactions earlier than a time, in seconds since 2001.
  case until(Double)
}
