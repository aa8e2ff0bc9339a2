// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The content of a context's notification that contains object IDs.
struct PostedChanges: Sendable {
  let context: NSManagedObjectContext
  let inserted: Set<NSManagedObjectID>
  let updated: Set<NSManagedObjectID>
  let deleted: Set<NSManagedObjectID>
  /// Empty in the notifications that contexts post, because a merge lists refreshed objects as updated.
  let refreshed: Set<NSManagedObjectID>
  let invalidated: Set<NSManagedObjectID>
  let queryGeneration: NSQueryGenerationToken?
  let historyToken: NSPersistentHistoryToken?

  init?(_ notification: Notification) {
    guard let context = notification.object as? NSManagedObjectContext else { return nil }
    self.context = context
    inserted = notification.ids(NSInsertedObjectIDsKey)
    updated = notification.ids(NSUpdatedObjectIDsKey)
    deleted = notification.ids(NSDeletedObjectIDsKey)
    refreshed = notification.ids(NSRefreshedObjectIDsKey)
    invalidated = notification.ids(NSInvalidatedObjectIDsKey)
    queryGeneration = notification.generation
    historyToken = notification.historyToken
  }

  /// Returns a notification with the given name and this content; keys of empty sets and nil values are
  /// absent.
  func notification(_ name: NSNotification.Name) -> Notification {
    let sets = [
      (NSInsertedObjectIDsKey, inserted), (NSUpdatedObjectIDsKey, updated),
      (NSDeletedObjectIDsKey, deleted), (NSRefreshedObjectIDsKey, refreshed),
      (NSInvalidatedObjectIDsKey, invalidated),
    ]
    var info: [AnyHashable: Any] = [:]
    for (key, ids) in sets where !ids.isEmpty { info[key] = ids }
    info[NSManagedObjectContextQueryGenerationKey] = queryGeneration
    info[NSPersistentHistoryTokenKey] = historyToken
    return Notification(name: name, object: context, userInfo: info)
  }
}

/// The content of the notification that a coordinator's stores have changed.
struct PostedStores: Sendable {
  let coordinator: NSPersistentStoreCoordinator
  let added: [NSPersistentStore]
  let removed: [NSPersistentStore]
  let changed: [NSPersistentStore]

  init?(_ notification: Notification) {
    guard let coordinator = notification.object as? NSPersistentStoreCoordinator else { return nil }
    self.coordinator = coordinator
    added = notification.stores(NSAddedPersistentStoresKey)
    removed = notification.stores(NSRemovedPersistentStoresKey)
    changed = notification.stores(NSUUIDChangedPersistentStoresKey)
  }

  /// Returns a notification with the given name and this content; keys of empty arrays are absent.
  func notification(_ name: NSNotification.Name) -> Notification {
    let arrays = [
      (NSAddedPersistentStoresKey, added), (NSRemovedPersistentStoresKey, removed),
      (NSUUIDChangedPersistentStoresKey, changed),
    ]
    var info: [AnyHashable: Any] = [:]
    for (key, stores) in arrays where !stores.isEmpty { info[key] = stores }
    return Notification(name: name, object: coordinator, userInfo: info)
  }
}
