// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// What a batch update gives; raw values are Apple's.
///
/// Source: documented, “NSBatchUpdateRequestResultType”.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
  /// Whether it was done, a Boolean as `NSNumber`.
  case statusOnlyResultType = 0
  /// The IDs of the rows, an array of `NSManagedObjectID`.
  case updatedObjectIDsResultType = 1
  /// The number of rows, an `NSNumber`.
  case updatedObjectsCountResultType = 2

  var report: BatchReport { self == .updatedObjectIDsResultType ? .keys : [] }

  /// `outcome` in this form.
  func result(of outcome: BatchOutcome, in context: NSManagedObjectContext) -> Any {
    switch self {
    case .statusOnlyResultType: NSNumber(value: true)
    case .updatedObjectIDsResultType: outcome.keys.map(context.id(for:))
    case .updatedObjectsCountResultType: NSNumber(value: outcome.count)
    }
  }
}
