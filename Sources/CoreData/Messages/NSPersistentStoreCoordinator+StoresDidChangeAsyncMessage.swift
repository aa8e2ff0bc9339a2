// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPersistentStoreCoordinator {
  /// A coordinator's stores have changed.
  ///
  /// Delivered wherever the notification is posted, on no particular thread.
  /// Source: documented, “NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage”; the types of the
  /// properties are chosen.
  public struct StoresDidChangeAsyncMessage: NotificationCenter.AsyncMessage,
    AsyncNotificationMessage
  {
    /// What posts it.
    public typealias Subject = NSPersistentStoreCoordinator
    /// The name of the notification that carries the same.
    public static var name: NSNotification.Name { notification }

    /// The coordinator that posts it.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The stores added.
    public let addedStores: [NSPersistentStore]
    /// The stores removed.
    public let removedStores: [NSPersistentStore]
    /// A store before and after its UUID changed.
    public let uuidChangedStores: [NSPersistentStore]

    static var notification: NSNotification.Name { .NSPersistentStoreCoordinatorStoresDidChange }
    var subject: NSPersistentStoreCoordinator { persistentStoreCoordinator }

    /// The message that says what `notification` says; nil where its object is another one.
    public static func makeMessage(_ notification: Notification) -> Self? {
      guard let persistentStoreCoordinator = notification.object as? NSPersistentStoreCoordinator
      else { return nil }
      return Self(
        persistentStoreCoordinator: persistentStoreCoordinator,
        addedStores: notification.stores(NSAddedPersistentStoresKey),
        removedStores: notification.stores(NSRemovedPersistentStoresKey),
        uuidChangedStores: notification.stores(NSUUIDChangedPersistentStoresKey)
      )
    }

    /// The notification that says what `message` says; a key is absent where it would have nothing.
    public static func makeNotification(_ message: Self) -> Notification {
      var info: [AnyHashable: Any] = [:]
      if !message.addedStores.isEmpty { info[NSAddedPersistentStoresKey] = message.addedStores }
      if !message.removedStores.isEmpty {
        info[NSRemovedPersistentStoresKey] = message.removedStores
      }
      if !message.uuidChangedStores.isEmpty {
        info[NSUUIDChangedPersistentStoresKey] = message.uuidChangedStores
      }
      return Notification(
        name: notification,
        object: message.persistentStoreCoordinator,
        userInfo: info
      )
    }
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage
  >
{
  /// A coordinator's stores have changed.
  public static var storesDidChangeAsync: Self {
    MessageBridge.follow(NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage.self)
    return .init()
  }
}
