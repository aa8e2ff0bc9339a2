// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A store that can keep a history of what was written to it.
package protocol HistoryStore: RowStore {
  /// Whether the store has a history; it is written exactly where the store can be written to.
  var hasHistory: Bool { get }

  /// How far the history goes; nil where the store has none.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: one statement.
  func historyExtent() throws -> HistoryExtent?

  /// Transactions in the order of their numbers.
  ///
  /// - Throws: `StoreError`.
  /// - Complexity: one statement, O(transactions in the range).
  func historyTransactions(_ range: HistoryRange) throws -> [HistoryTransaction]

  /// The changes of transactions, in the order of their numbers and then as they were made.
  ///
  /// Changes of entities that the model does not have are left out.
  /// - Throws: `StoreError`.
  /// - Complexity: one statement, O(changes).
  func historyChanges(of transactions: [Int64]) throws -> [HistoryChange]

  /// Forgets transactions with their changes, and gives how many transactions those were.
  ///
  /// - Throws: `StoreError`.
  func deleteHistory(_ range: HistoryRange) throws -> Int
}

/// How far a history goes.
package struct HistoryExtent: Sendable, Hashable {
  /// The number of the first transaction that is kept; nil where none is.
  package let first: Int64?
  /// The last number that was given; 0 before the first.
  package let last: Int64

  package init(first: Int64?, last: Int64) {
    self.first = first
    self.last = last
  }

  /// Whether every transaction after that number is still there.
  package func reaches(_ number: Int64) -> Bool {
    number >= 0 && number <= last && (number == last || (first ?? .max) <= number + 1)
  }
}

/// Which transactions of a history; none of the bounds is part of it.
package enum HistoryRange: Sendable, Hashable {
  case all
  /// Those with a greater number.
  case after(Int64)
  /// Those with a smaller number.
  case before(Int64)
  /// Later ones; seconds since 2001.
  case since(Double)
  /// Earlier ones; seconds since 2001.
  case until(Double)
}
