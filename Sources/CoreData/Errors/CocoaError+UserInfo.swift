// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What Core Data's errors carry.
///
/// Source: documented, “CocoaError”.
extension CocoaError {
  /// The object that is not valid.
  public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }
  /// The key of the value that is not valid.
  public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }
  /// The predicate that the value does not meet.
  public var validationPredicate: NSPredicate? {
    userInfo[NSValidationPredicateErrorKey] as? NSPredicate
  }
  /// The value that is not valid; nil where it is nil.
  public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }
  /// The stores that the error concerns.
  public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
  /// The objects that the error concerns.
  public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
  /// The conflicts of a save whose rows had changed; nil for any other error.
  public var persistentStoreSaveConflicts: [NSMergeConflict]? {
    userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
  }
}
