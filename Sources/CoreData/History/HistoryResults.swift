// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The result of a history request.
///
/// Source: documented, “NSPersistentHistoryResult”.
open class NSPersistentHistoryResult: NSPersistentStoreResult {
  init(_ result: Any, _ resultType: NSPersistentHistoryResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }

  /// The value in the form of `resultType`: transactions, changes, IDs, a number, or a Boolean.
  ///
  /// The result of a deletion is the number of deleted transactions if `resultType` is `count`, and `true`
  /// for all other result types.
  public let result: Any?
  /// The result type of the request, which determines the form of `result`.
  public let resultType: NSPersistentHistoryResultType
}

/// The form of a history request's result; raw values are Apple's.
///
/// For a deletion, the result is `true` unless the form is `count`.
///
/// Source: documented, “NSPersistentHistoryResultType”; the meaning of `count` is this library's choice.
public enum NSPersistentHistoryResultType: Int, Sendable {
  /// `true`; a request that fails throws an error instead.
  case statusOnly = 0
  /// `[NSManagedObjectID]`: the ID of the changed object for each change.
  case objectIDs = 1
  /// An `Int`: the number of changes found, or of transactions deleted.
  case count = 2
  /// `[NSPersistentHistoryTransaction]` without their changes.
  case transactionsOnly = 3
  /// `[NSPersistentHistoryChange]` without their transactions.
  case changesOnly = 4
  /// `[NSPersistentHistoryTransaction]` with their changes.
  case transactionsAndChanges = 5
}

/// How a transaction changed an object; raw values are Apple's.
///
/// Source: documented, “NSPersistentHistoryChangeType”.
public enum NSPersistentHistoryChangeType: Int, Sendable {
  /// The object was inserted.
  case insert = 0
  /// Properties of the object were updated.
  case update = 1
  /// The object was deleted.
  case delete = 2
}
