// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a history request gave.
///
/// Source: documented, “NSPersistentHistoryResult”.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
  init(_ result: Any, _ resultType: NSPersistentHistoryResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }

  /// What `resultType` says: transactions, changes, IDs, a number, or a Boolean.
  public let result: Any?
  /// The form of the result.
  public let resultType: NSPersistentHistoryResultType
}

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

/// What a transaction did to an object; raw values are Apple's.
///
/// Source: documented, “NSPersistentHistoryChangeType”.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// The object is new.
  case insert = 0
  /// Properties of the object have changed.
  case update = 1
  /// The object is gone.
  case delete = 2
}
