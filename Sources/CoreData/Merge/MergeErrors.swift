// SPDX-License-Identifier: Apache-2.0

import Foundation

enum MergeErrors {
  /// Returns error 133020, for rows that were changed or deleted since they were read.
  static func versions(_ conflicts: [NSMergeConflict]) -> NSError {
    func objects(_ isIncluded: (NSMergeConflict) -> Bool) -> String? {
      let found = conflicts.filter(isIncluded)
        .map { $0.sourceObject.objectID.uriRepresentation().absoluteString }
      return found.isEmpty ? nil : found.joined(separator: ", ")
    }
    let changed = objects { $0.newVersionNumber != 0 }
    let deleted = objects { $0.newVersionNumber == 0 }
    let sentences = [
      changed.map { "Changed in the store since being read: \($0)." },
      deleted.map { "Deleted from the store since being read: \($0)." },
      "Refresh the objects, or set a merge policy that resolves such conflicts.",
    ]
    return coreDataError(
      NSManagedObjectMergeError,
      "Could not merge changes.",
      sentences.compactMap { $0 }.joined(separator: " "),
      userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
    )
  }

  /// Returns error 133021, for values that violate a uniqueness constraint.
  static func constraints(_ conflicts: [NSConstraintConflict]) -> NSError {
    coreDataError(
      NSManagedObjectConstraintMergeError,
      "A uniqueness constraint is violated.",
      (conflicts.map { $0.summary + "." } + [
        "Change the values, or set a merge policy that resolves such conflicts."
      ]).joined(separator: " "),
      userInfo: [NSPersistentStoreSaveConflictsErrorKey: conflicts]
    )
  }

  /// Returns error 134040, for a save that only some of its stores have committed.
  static func incomplete(
    _ stores: [NSPersistentStore],
    _ objects: [NSManagedObject],
    _ cause: any Error
  ) -> NSError {
    let underlying = cocoaError(cause)
    let names = stores.map { "the store \($0.locationInText)" }
    let list =
      names.count > 1
      ? names.dropLast().joined(separator: ", ") + " and " + names[names.count - 1]
      : names.joined()
    let reason = underlying.localizedFailureReason ?? underlying.localizedDescription
    return coreDataError(
      NSPersistentStoreIncompleteSaveError,
      "One or more of the stores returned an error during a save operation.",
      "Some stores have committed their part of the save, but not \(list), because of this error: \(reason)"
        + (reason.hasSuffix(".") ? "" : ".")
        + " The objects of NSAffectedObjectsErrorKey are still unsaved and can be saved again.",
      userInfo: [
        NSAffectedStoresErrorKey: stores,
        NSAffectedObjectsErrorKey: objects,
        NSUnderlyingErrorKey: underlying,
      ]
    )
  }
}
