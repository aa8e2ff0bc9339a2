// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The errors of saves with unresolved conflicts.
enum MergeErrors {
  /// Returns error 133020: rows have changed since they were read.
  static func versions(_ conflicts: [NSMergeConflict]) -> NSError {
    coreDataError(
      NSManagedObjectMergeError,
      "Could not merge changes.",
      conflicts.map { $0.sourceObject.objectID.uriRepresentation().absoluteString }
        .joined(separator: ", ")
        + " changed in the store since being read. Refresh the objects, or set another merge policy.",
      userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
    )
  }

  /// Returns error 133021: values violate a uniqueness constraint.
  static func constraints(_ conflicts: [NSConstraintConflict]) -> NSError {
    coreDataError(
      NSManagedObjectConstraintMergeError,
      "A uniqueness constraint is violated.",
      conflicts.map(\.summary).joined(separator: "; ")
        + ". Change the values, or set a merge policy that resolves such conflicts.",
      userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
    )
  }

  /// Returns error 134040: only some stores have committed their part of the save.
  static func incomplete(
    _ stores: [NSPersistentStore],
    _ objects: [NSManagedObject],
    _ cause: any Error
  ) -> NSError {
    coreDataError(
      NSPersistentStoreIncompleteSaveError,
      "One or more of the stores returned an error during a save operation.",
      "Some stores have committed their part of the save. The stores of NSAffectedStoresErrorKey have "
        + "not; their objects are still unsaved and can be saved again.",
      userInfo: [
        NSAffectedStoresErrorKey: stores,
        NSAffectedObjectsErrorKey: objects,
        NSUnderlyingErrorKey: cocoaError(cause),
      ]
    )
  }
}
