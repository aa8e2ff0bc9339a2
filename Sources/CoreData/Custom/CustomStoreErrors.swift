// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Errors of custom stores.
enum CustomStoreErrors {
  /// Returns the error for a method of the store's class that returned an invalid value.
  ///
  /// `fault` describes the value and says what to return instead; it has no full stop at its end.
  static func wrongResult(
    _ store: NSPersistentStore,
    _ method: String,
    _ fault: String
  ) -> NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "A custom persistent store returned an invalid value.",
      "\(method) of the class \(type(of: store)) returned \(fault)."
    )
  }

  /// Returns whether the error means that the store does not contain the requested object.
  static func isMissingObject(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSManagedObjectReferentialIntegrityError
  }

  /// Returns the objects in the merge conflicts of a save's error; an empty array for any other error.
  static func conflictingObjects(of error: any Error) -> [NSManagedObject] {
    let error = error as NSError
    guard error.domain == NSCocoaErrorDomain,
      [NSManagedObjectMergeError, NSPersistentStoreSaveConflictsError].contains(error.code),
      let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any]
    else { return [] }
    return list.compactMap { ($0 as? NSMergeConflict)?.sourceObject }
  }
}
