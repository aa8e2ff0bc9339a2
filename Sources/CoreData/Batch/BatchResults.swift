// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

private enum BatchResultForm {
  case status, ids, count

  var report: BatchReport { self == .ids ? .keys : [] }

  func result(of outcome: BatchOutcome, in context: NSManagedObjectContext) -> Any {
    switch self {
    case .status: NSNumber(value: true)
    case .ids: outcome.keys.map(context.id(for:))
    case .count: NSNumber(value: outcome.count)
    }
  }
}

/// The form of the result of a batch insert; raw values are Apple's.
///
/// Source: documented, “NSBatchInsertRequestResultType”.
public enum NSBatchInsertRequestResultType: UInt, Sendable {
  /// True as an `NSNumber`; a request that fails throws an error instead.
  case statusOnly = 0
  /// The IDs of the inserted and overwritten rows, as an array of `NSManagedObjectID`.
  case objectIDs = 1
  /// The number of inserted and overwritten rows, as an `NSNumber`.
  case count = 2

  private var form: BatchResultForm {
    switch self {
    case .statusOnly: .status
    case .objectIDs: .ids
    case .count: .count
    }
  }

  var report: BatchReport { form.report }

  func result(of outcome: BatchOutcome, in context: NSManagedObjectContext) -> Any {
    form.result(of: outcome, in: context)
  }
}

/// The result of a batch insert.
///
/// Source: documented, “NSBatchInsertResult”.
open class NSBatchInsertResult: NSPersistentStoreResult {
  init(_ result: Any, _ resultType: NSBatchInsertRequestResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }

  /// A Boolean, an array of IDs, or a number, depending on `resultType`; never nil.
  public let result: Any?
  /// The class, the address and the result.
  open override var description: String { describing(result) }
  /// The result type of the request, which determines the form of `result`.
  public let resultType: NSBatchInsertRequestResultType
}

/// The form of the result of a batch update; raw values are Apple's.
///
/// Source: documented, “NSBatchUpdateRequestResultType”.
public enum NSBatchUpdateRequestResultType: UInt, Sendable {
  /// True as an `NSNumber`; a request that fails throws an error instead.
  case statusOnlyResultType = 0
  /// The IDs of the rows that the request matches, as an array of `NSManagedObjectID`.
  case updatedObjectIDsResultType = 1
  /// The number of rows that the request matches, as an `NSNumber`.
  case updatedObjectsCountResultType = 2

  private var form: BatchResultForm {
    switch self {
    case .statusOnlyResultType: .status
    case .updatedObjectIDsResultType: .ids
    case .updatedObjectsCountResultType: .count
    }
  }

  var report: BatchReport { form.report }

  func result(of outcome: BatchOutcome, in context: NSManagedObjectContext) -> Any {
    form.result(of: outcome, in: context)
  }
}

/// The result of a batch update.
///
/// Source: documented, “NSBatchUpdateResult”.
open class NSBatchUpdateResult: NSPersistentStoreResult {
  init(_ result: Any, _ resultType: NSBatchUpdateRequestResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }

  /// A Boolean, an array of IDs, or a number, depending on `resultType`; never nil.
  public let result: Any?
  /// The class, the address and the result.
  open override var description: String { describing(result) }
  /// The result type of the request, which determines the form of `result`.
  public let resultType: NSBatchUpdateRequestResultType
}

/// The form of the result of a batch delete; raw values are Apple's.
///
/// Source: documented, “NSBatchDeleteRequestResultType”.
public enum NSBatchDeleteRequestResultType: UInt, Sendable {
  /// True as an `NSNumber`; a request that fails throws an error instead.
  case resultTypeStatusOnly = 0
  /// The IDs of the rows that the request matches, as an array of `NSManagedObjectID`.
  case resultTypeObjectIDs = 1
  /// The number of rows that the request matches, as an `NSNumber`.
  case resultTypeCount = 2

  private var form: BatchResultForm {
    switch self {
    case .resultTypeStatusOnly: .status
    case .resultTypeObjectIDs: .ids
    case .resultTypeCount: .count
    }
  }

  var report: BatchReport { form.report }

  func result(of outcome: BatchOutcome, in context: NSManagedObjectContext) -> Any {
    form.result(of: outcome, in: context)
  }
}

/// The result of a batch delete.
///
/// Source: documented, “NSBatchDeleteResult”.
open class NSBatchDeleteResult: NSPersistentStoreResult {
  init(_ result: Any, _ resultType: NSBatchDeleteRequestResultType) {
    self.result = result
    self.resultType = resultType
    super.init()
  }

  /// A Boolean, an array of IDs, or a number, depending on `resultType`; never nil.
  public let result: Any?
  /// The class, the address and the result.
  open override var description: String { describing(result) }
  /// The result type of the request, which determines the form of `result`.
  public let resultType: NSBatchDeleteRequestResultType
}

extension NSPersistentStoreResult {
  fileprivate func describing(_ result: Any?) -> String {
    "\(addressedName) (result: \(result.map { "\($0)" } ?? "(null)"))"
  }
}
