// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Errors of stores of classes of the program.
enum CustomStoreErrors {
  /// Returns the error for a method of the class that has returned a value it must not return.
  ///
  /// `fault` describes the value and says what to return, without a full stop at its end.
  static func wrongResult(
    _ store: NSPersistentStore,
    _ method: String,
    _ fault: String
  ) -> NSError {
    coreDataError(
      NSPersistentStoreOperationError,
      "The class of a persistent store has returned a value that cannot be used.",
      "\(method) of the class \(type(of: store)) has returned \(fault)."
    )
  }

  /// Returns whether the error says that the store has no object with an ID.
  static func isMissingObject(_ error: any Error) -> Bool {
    let error = error as NSError
    return error.domain == NSCocoaErrorDomain
      && error.code == NSManagedObjectReferentialIntegrityError
  }

  /// Returns the objects of the merge conflicts that an error of a save contains; empty for any other error.
  static func conflictingObjects(of error: any Error) -> [NSManagedObject] {
    let error = error as NSError
    guard error.domain == NSCocoaErrorDomain,
      [NSManagedObjectMergeError, NSPersistentStoreSaveConflictsError].contains(error.code),
      let list = error.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [Any]
    else { return [] }
    return list.compactMap { ($0 as? NSMergeConflict)?.sourceObject }
  }
}
