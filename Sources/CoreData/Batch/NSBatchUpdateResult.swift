// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What a batch update gave.
///
/// Source: documented, “NSBatchUpdateResult”.
open class NSBatchUpdateResult: NSPersistentStoreResult {
  init(_ result: Any, _ resultType: NSBatchUpdateRequestResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }

  /// What `resultType` says: a Boolean, IDs, or a number.
  public let result: Any?
  /// The result.
  open override var description: String {
    "\(addressedName) (result: \(result.map { "\($0)" } ?? "(null)"))"
  }
  /// The form of the result.
  public let resultType: NSBatchUpdateRequestResultType
}
