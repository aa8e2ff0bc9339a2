// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// What a batch delete gives; raw values are Apple's.
///
/// Source: documented, “NSBatchDeleteRequestResultType”.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
  /// Whether it was done, a Boolean as `NSNumber`.
  case resultTypeStatusOnly = 0
  /// The IDs of the rows, an array of `NSManagedObjectID`.
  case resultTypeObjectIDs = 1
  /// The number of rows, an `NSNumber`.
  case resultTypeCount = 2

  var report: BatchReport { self == .resultTypeObjectIDs ? .keys : [] }

  /// `outcome` in this form.
  func result(of outcome: BatchOutcome, in context: NSManagedObjectContext) -> Any {
    switch self {
    case .resultTypeStatusOnly: NSNumber(value: true)
    case .resultTypeObjectIDs: outcome.keys.map(context.id(for:))
    case .resultTypeCount: NSNumber(value: outcome.count)
    }
  }
}
