// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Core Data's notifications; each raw value equals the constant's Objective-C name.
///
/// Source: documented.
extension NSNotification.Name {
  /// Posted by a context after each event that changed or refreshed objects, after a rollback of changes, and
  /// after a reset.
  ///
  /// `userInfo` contains sets of the changed objects or, after a reset, an array of the IDs of all objects
  /// that were in the context.
  public static var NSManagedObjectContextObjectsDidChange: NSNotification.Name {
    ContextNotification.objectsDidChange.name
  }
  /// Posted by a context before it saves; has no `userInfo`.
  public static let NSManagedObjectContextWillSave = NSNotification.Name(
    "NSManagedObjectContextWillSaveNotification"
  )
  /// Posted by a context after it has saved; `userInfo` contains sets of the saved objects.
  public static var NSManagedObjectContextDidSave: NSNotification.Name {
    ContextNotification.didSave.name
  }
  /// Posted by a context after it has saved; `userInfo` contains sets of the IDs of the saved objects.
  public static var NSManagedObjectContextDidSaveObjectIDs: NSNotification.Name {
    ContextNotification.didSaveObjectIDs.name
  }
  /// Posted by a context after it has merged changes made elsewhere; `userInfo` contains sets of the IDs of
  /// the changed objects.
  public static let NSManagedObjectContextDidMergeChangesObjectIDs = NSNotification.Name(
    "NSManagedObjectContextDidMergeChangesObjectIDsNotification"
  )
  /// The notification that Apple's framework posts before a coordinator's stores change; never posted by this
  /// library.
  public static let NSPersistentStoreCoordinatorStoresWillChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresWillChangeNotification"
  )
  /// Posted by a coordinator after a store was added or removed; `userInfo` contains an array with the store.
  public static let NSPersistentStoreCoordinatorStoresDidChange = NSNotification.Name(
    "NSPersistentStoreCoordinatorStoresDidChangeNotification"
  )
  /// Posted when a store is removed from its coordinator, before the store is closed; the notification's
  /// object is the store.
  public static let NSPersistentStoreCoordinatorWillRemoveStore = NSNotification.Name(
    "NSPersistentStoreCoordinatorWillRemoveStoreNotification"
  )
  /// Posted by a coordinator after a store was changed in this process or another, if the store was added
  /// with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`.
  public static let NSPersistentStoreRemoteChange = NSNotification.Name(
    "NSPersistentStoreRemoteChangeNotification"
  )
}

extension NSManagedObjectContext {
  /// Posted by a context before it saves; has no `userInfo`.
  public static let willSaveObjectsNotification = NSNotification.Name.NSManagedObjectContextWillSave
  /// Posted by a context after it has saved; `userInfo` contains sets of the saved objects.
  public static var didSaveObjectsNotification: NSNotification.Name {
    .NSManagedObjectContextDidSave
  }
  /// Posted by a context after each event that changed or refreshed objects, after a rollback of changes, and
  /// after a reset.
  ///
  /// `userInfo` contains sets of the changed objects or, after a reset, an array of the IDs of all objects
  /// that were in the context.
  public static var didChangeObjectsNotification: NSNotification.Name {
    .NSManagedObjectContextObjectsDidChange
  }
  /// Posted by a context after it has saved; `userInfo` contains sets of the IDs of the saved objects.
  public static var didSaveObjectIDsNotification: NSNotification.Name {
    .NSManagedObjectContextDidSaveObjectIDs
  }
  /// Posted by a context after it has merged changes made elsewhere; `userInfo` contains sets of the IDs of
  /// the changed objects.
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
