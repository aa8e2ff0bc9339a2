// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// What a batch insert gives; raw values are Apple's.
///
/// Source: documented, “NSBatchInsertRequestResultType”.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
  /// Whether it was done, a Boolean as `NSNumber`.
  case statusOnly = 0
  /// The IDs of the rows, an array of `NSManagedObjectID`.
  case objectIDs = 1
  /// The number of rows, an `NSNumber`.
  case count = 2

  var report: BatchReport { self == .objectIDs ? .keys : [] }

  /// `outcome` in this form.
  func result(of outcome: BatchOutcome, in context: NSManagedObjectContext) -> Any {
    switch self {
    case .statusOnly: NSNumber(value: true)
    case .objectIDs: outcome.keys.map(context.id(for:))
    case .count: NSNumber(value: outcome.count)
    }
  }
}
