// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The part of a save that concerns one custom store.
///
/// A request whose collections are all nil asks the store to save its metadata.
///
/// Source: documented, “NSSaveChangesRequest”.
open class NSSaveChangesRequest: NSPersistentStoreRequest {
  /// The new objects, which already have permanent IDs.
  public let insertedObjects: Set<NSManagedObject>?
  /// The existing objects that the save updates.
  public let updatedObjects: Set<NSManagedObject>?
  /// The objects that the save deletes.
  public let deletedObjects: Set<NSManagedObject>?
  /// The unchanged objects whose versions the save checks; see
  /// `NSManagedObjectContext.detectConflicts(for:)`.
  public let lockedObjects: Set<NSManagedObject>?

  /// Creates a request with the objects of a save.
  public init(
    inserted insertedObjects: Set<NSManagedObject>?,
    updated updatedObjects: Set<NSManagedObject>?,
    deleted deletedObjects: Set<NSManagedObject>?,
    locked lockedObjects: Set<NSManagedObject>?
  ) {
    self.insertedObjects = insertedObjects
    self.updatedObjects = updatedObjects
    self.deletedObjects = deletedObjects
    self.lockedObjects = lockedObjects
    super.init()
  }

  open override var requestType: NSPersistentStoreRequestType { .saveRequestType }

  /// Returns a request with the same objects.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let copy = NSSaveChangesRequest(
      inserted: insertedObjects,
      updated: updatedObjects,
      deleted: deletedObjects,
      locked: lockedObjects
    )
    copy.affectedStores = affectedStores
    return copy
  }
}
