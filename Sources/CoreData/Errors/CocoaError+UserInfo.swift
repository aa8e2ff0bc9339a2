// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The contents of Core Data's errors.
///
/// Source: documented, “CocoaError”.
extension CocoaError {
  /// The invalid object; nil if the error is not the validation error of an object.
  ///
  /// Also nil for a validation error of a batch request, and for an error that combines several errors.
  public var validationObject: Any? { userInfo[NSValidationObjectErrorKey] }
  /// The name of the invalid property; nil if the error does not concern a single property.
  public var validationKey: String? { userInfo[NSValidationKeyErrorKey] as? String }
  /// The predicate that the value does not satisfy; nil if the error has another reason.
  public var validationPredicate: NSPredicate? {
    userInfo[NSValidationPredicateErrorKey] as? NSPredicate
  }
  /// The invalid value; nil if the value itself is nil, or if the error does not concern a single value.
  public var validationValue: Any? { userInfo[NSValidationValueErrorKey] }
  /// The stores that the error concerns; nil if the error names no stores.
  public var affectedStores: [AnyObject]? { userInfo[NSAffectedStoresErrorKey] as? [AnyObject] }
  /// The objects that the error concerns, or their IDs; nil if the error names no objects.
  public var affectedObjects: [AnyObject]? { userInfo[NSAffectedObjectsErrorKey] as? [AnyObject] }
  /// The conflicts of a save that failed because another context or process had changed or deleted the rows;
  /// nil for any other error.
  public var persistentStoreSaveConflicts: [NSMergeConflict]? {
    userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict]
  }
}
