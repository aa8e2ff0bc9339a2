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
