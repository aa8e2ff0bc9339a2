// SPDX-License-Identifier: Apache-2.0

/// What a history request gives; raw values are Apple's.
///
/// Source: documented, “NSPersistentHistoryResultType”; which number `count` is: chosen.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// Whether it succeeded: a Boolean.
  case statusOnly = 0
  /// `[NSManagedObjectID]`: of the changed objects, once for each change.
  case objectIDs = 1
  /// An `Int`: how many changes were found, or how many transactions deleted.
  case count = 2
  /// `[NSPersistentHistoryTransaction]` without their changes.
  case transactionsOnly = 3
  /// `[NSPersistentHistoryChange]` without their transactions.
  case changesOnly = 4
  /// `[NSPersistentHistoryTransaction]` with their changes.
  case transactionsAndChanges = 5
}
