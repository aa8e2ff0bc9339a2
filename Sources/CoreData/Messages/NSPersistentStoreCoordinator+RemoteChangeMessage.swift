// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPersistentStoreCoordinator {
  /// A store was written to, by whomever.
  ///
  /// Delivered wherever the notification is posted, on no particular thread.
  /// Source: documented, “NSPersistentStoreCoordinator.RemoteChangeMessage”; the types of the properties are chosen.
  public struct RemoteChangeMessage: NotificationCenter.AsyncMessage, AsyncNotificationMessage {
    /// What posts it.
    public typealias Subject = NSPersistentStoreCoordinator
    /// The name of the notification that carries the same.
    public static var name: NSNotification.Name { notification }

    /// The coordinator that posts it.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The UUID of the store.
    public let storeUUID: String
    /// Where the store's file is; nil for a store without one.
    public let storeURL: URL?
    /// The place behind the write in the store's history; nil where it has none.
    public let historyToken: NSPersistentHistoryToken?

    static var notification: NSNotification.Name { .NSPersistentStoreRemoteChange }
    var subject: NSPersistentStoreCoordinator { persistentStoreCoordinator }

    /// The message that says what `notification` says; nil where it is another one.
    public static func makeMessage(_ notification: Notification) -> Self? {
      guard let coordinator = notification.object as? NSPersistentStoreCoordinator,
        let uuid = notification.userInfo?[NSStoreUUIDKey] as? String
      else { return nil }
      return Self(
        persistentStoreCoordinator: coordinator,
        storeUUID: uuid,
        storeURL: notification.userInfo?[NSPersistentStoreURLKey] as? URL,
        historyToken: notification.historyToken
      )
    }

    /// The notification that says what `message` says; a key is absent where it would have nothing.
    public static func makeNotification(_ message: Self) -> Notification {
      var info: [AnyHashable: Any] = [NSStoreUUIDKey: message.storeUUID]
      info[NSPersistentStoreURLKey] = message.storeURL
      info[NSPersistentHistoryTokenKey] = message.historyToken
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
    NSPersistentStoreCoordinator.RemoteChangeMessage
  >
{
  /// A store was written to, by whomever.
  public static var remoteChange: Self {
    MessageBridge.follow(NSPersistentStoreCoordinator.RemoteChangeMessage.self)
    return .init()
  }
}
