// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPersistentStoreCoordinator {
  /// A message that is posted after a coordinator's stores have changed.
  ///
  /// Delivered on the main actor, and only if the notification is posted on the main thread.
  ///
  /// Source: documented, “NSPersistentStoreCoordinator.StoresDidChangeMessage”; the property types are this
  /// library's choice.
  public struct StoresDidChangeMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// The type of the object that posts the message.
    public typealias Subject = NSPersistentStoreCoordinator
    /// The name of the corresponding notification.
    public static var name: NSNotification.Name { notification }

    let changes: PostedStores

    /// The coordinator that posts the message.
    public var persistentStoreCoordinator: NSPersistentStoreCoordinator { changes.coordinator }
    /// The added stores.
    public var addedStores: [NSPersistentStore] { changes.added }
    /// The removed stores.
    public var removedStores: [NSPersistentStore] { changes.removed }
    /// The store before and the store after a change of its UUID, for example through
    /// `migratePersistentStore(_:to:type:)`; empty if no UUID changed.
    public var uuidChangedStores: [NSPersistentStore] { changes.changed }

    static var notification: NSNotification.Name { .NSPersistentStoreCoordinatorStoresDidChange }
    var subject: NSPersistentStoreCoordinator { persistentStoreCoordinator }

    /// Returns the message of `notification`; nil if the notification's object is not a coordinator.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      PostedStores(notification).map(Self.init(changes:))
    }

    /// Returns the notification of `message`, without the keys of empty arrays.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      message.changes.notification(notification)
    }
  }

  /// A message that is posted after a coordinator's stores have changed.
  ///
  /// Observers run asynchronously, on no particular thread.
  ///
  /// Source: documented, “NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage”; the property types are
  /// this library's choice.
  public struct StoresDidChangeAsyncMessage: NotificationCenter.AsyncMessage,
    AsyncNotificationMessage
  {
    /// The type of the object that posts the message.
    public typealias Subject = NSPersistentStoreCoordinator
    /// The name of the corresponding notification.
    public static var name: NSNotification.Name { notification }

    let changes: PostedStores

    /// The coordinator that posts the message.
    public var persistentStoreCoordinator: NSPersistentStoreCoordinator { changes.coordinator }
    /// The added stores.
    public var addedStores: [NSPersistentStore] { changes.added }
    /// The removed stores.
    public var removedStores: [NSPersistentStore] { changes.removed }
    /// The store before and the store after a change of its UUID, for example through
    /// `migratePersistentStore(_:to:type:)`; empty if no UUID changed.
    public var uuidChangedStores: [NSPersistentStore] { changes.changed }

    static var notification: NSNotification.Name { .NSPersistentStoreCoordinatorStoresDidChange }
    var subject: NSPersistentStoreCoordinator { persistentStoreCoordinator }

    /// Returns the message of `notification`; nil if the notification's object is not a coordinator.
    public static func makeMessage(_ notification: Notification) -> Self? {
      PostedStores(notification).map(Self.init(changes:))
    }

    /// Returns the notification of `message`, without the keys of empty arrays.
    public static func makeNotification(_ message: Self) -> Notification {
      message.changes.notification(notification)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    NSPersistentStoreCoordinator.StoresDidChangeMessage
  >
{
  /// The identifier of `StoresDidChangeMessage`, which is posted after a coordinator's stores have changed.
  public static var storesDidChange: Self {
    MessageBridge.startObserving(NSPersistentStoreCoordinator.StoresDidChangeMessage.self)
    return .init()
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage
  >
{
  /// The identifier of `StoresDidChangeAsyncMessage`, which is posted after a coordinator's stores have
  /// changed.
  public static var storesDidChangeAsync: Self {
    MessageBridge.startObserving(NSPersistentStoreCoordinator.StoresDidChangeAsyncMessage.self)
    return .init()
  }
}
