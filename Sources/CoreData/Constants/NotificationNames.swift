// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Core Data's notifications; each raw value equals the constant's Objective-C name.
///
/// Source: documented.
extension NSNotification.Name {
  /// Objects of a context changed; the context posts it once for each processed event.
  public static var NSManagedObjectContextObjectsDidChange: NSNotification.Name {
    ContextNotification.objectsDidChange.name
  }
  /// A context is about to save; the notification has no `userInfo`.
  public static let NSManagedObjectContextWillSave = NSNotification.Name(
    "NSManagedObjectContextWillSaveNotification"
  )
  /// A context has saved; `userInfo` contains sets of its objects.
  public static var NSManagedObjectContextDidSave: NSNotification.Name {
    ContextNotification.didSave.name
  }
  /// A context has saved; `userInfo` contains sets of object IDs.
  public static var NSManagedObjectContextDidSaveObjectIDs: NSNotification.Name {
    ContextNotification.didSaveObjectIDs.name
  }
  /// A context has merged changes made elsewhere; `userInfo` contains sets of object IDs.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification"
  )
  /// The coordinator's stores are about to change.
  public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification"
  )
  /// The coordinator's stores have changed.
  public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification"
  )
  /// A store is about to be removed from its coordinator.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification"
  )
  /// A store was changed, in this process or another; posted only if the store's option enables it.
  public static let NSPersistentStoreRemoteChange = NSNotification.Name(
    "NSPersistentStoreRemoteChangeNotification"
  )
}

extension NSManagedObjectContext {
  /// A context is about to save.
  public static let willSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextWillSave
  /// A context has saved; `userInfo` contains sets of its objects.
  public static var didSaveObjectsNotification: NSNotification.Name {
    .NSManagedObjectContextDidSave
  }
  /// Objects of a context changed.
  public static var didChangeObjectsNotification: NSNotification.Name {
    .NSManagedObjectContextObjectsDidChange
  }
  /// A context has saved; `userInfo` contains sets of object IDs.
  public static var didSaveObjectIDsNotification: NSNotification.Name {
    .NSManagedObjectContextDidSaveObjectIDs
  }
  /// A context has merged changes made elsewhere; `userInfo` contains sets of object IDs.
  public static let didMergeChangesObjectIDsNotification =
    NSNotification.Name.NSManagedObjectContextDidMergeChangesObjectIDs

  /// Keys in the `userInfo` of a context's notifications.
  ///
  /// Source: documented, “NSManagedObjectContext.NotificationKey”.
  public enum NotificationKey: String, Sendable {
    case insertedObjects = "inserted"
    case updatedObjects = "updated"
    case deletedObjects = "deleted"
    case refreshedObjects = "refreshed"
    case invalidatedObjects = "invalidated"
    case invalidatedAllObjects = "invalidatedAll"
    case insertedObjectIDs = "inserted_objectIDs"
    case updatedObjectIDs = "updated_objectIDs"
    case deletedObjectIDs = "deleted_objectIDs"
    case refreshedObjectIDs = "refreshed_objectIDs"
    case invalidatedObjectIDs = "invalidated_objectIDs"
    case queryGeneration = "newQueryGeneration"
  }
}
