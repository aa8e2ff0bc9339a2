// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPersistentStoreCoordinator {
  /// A message that is posted after a store changes, in this process or another.
  ///
  /// Posted only for stores added with `NSPersistentStoreRemoteChangeNotificationPostOptionKey`. Observers
  /// run asynchronously, on no particular thread.
  ///
  /// Source: documented, “NSPersistentStoreCoordinator.RemoteChangeMessage”; the property types are this
  /// library's choice.
  public struct RemoteChangeMessage: NotificationCenter.AsyncMessage, AsyncNotificationMessage {
    /// The type of the object that posts the message.
    public typealias Subject = NSPersistentStoreCoordinator
    /// The name of the corresponding notification.
    public static var name: NSNotification.Name { notification }

    /// The coordinator that posts the message.
    public let persistentStoreCoordinator: NSPersistentStoreCoordinator
    /// The UUID of the changed store.
    public let storeUUID: String
    /// The `url` of the changed store; nil for a store in memory that was added without a URL.
    public let storeURL: URL?
    /// The history token after the write; nil if the store has no history.
    public let historyToken: NSPersistentHistoryToken?

    static var notification: NSNotification.Name { .NSPersistentStoreRemoteChange }
    var subject: NSPersistentStoreCoordinator { persistentStoreCoordinator }

    /// Returns the message of `notification`; nil if the notification's object is not a coordinator, or if
    /// `userInfo` has no store UUID.
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

    /// Returns the notification of `message`; keys of nil values are absent.
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
  /// The identifier of `RemoteChangeMessage`, which is posted after a store changes, in this process or
  /// another.
  public static var remoteChange: Self {
    MessageBridge.startObserving(NSPersistentStoreCoordinator.RemoteChangeMessage.self)
    return .init()
  }
}
