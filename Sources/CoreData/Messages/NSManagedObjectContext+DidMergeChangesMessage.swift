// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A context has taken over another's changes.
  ///
  /// Delivered on the main actor, where the notification is posted on the main thread.
  /// Source: documented, “NSManagedObjectContext.DidMergeChangesMessage”; the types of the properties are chosen.
  public struct DidMergeChangesMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// What posts it.
    public typealias Subject = NSManagedObjectContext
    /// The name of the notification that carries the same.
    public static var name: NSNotification.Name { notification }

    /// The context that posts it.
    public let context: NSManagedObjectContext
    /// The IDs of the objects inserted.
    public let insertedIDs: Set<NSManagedObjectID>
    /// The IDs of the objects changed.
    public let updatedIDs: Set<NSManagedObjectID>
    /// The IDs of the objects deleted.
    public let deletedIDs: Set<NSManagedObjectID>
    /// The IDs of the objects refreshed.
    public let refreshedIDs: Set<NSManagedObjectID>
    /// The IDs of the objects that are no longer valid.
    public let invalidatedIDs: Set<NSManagedObjectID>
    /// The moment that the context reads from then on; nil where it is not pinned.
    public let queryGeneration: NSQueryGenerationToken?
    /// The place behind the save in the stores' histories; nil where they have none.
    public let historyToken: NSPersistentHistoryToken?

    static var notification: NSNotification.Name { .NSManagedObjectContextDidMergeChangesObjectIDs }
    var subject: NSManagedObjectContext { context }

    /// The message that says what `notification` says; nil where its object is another one.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      guard let context = notification.object as? NSManagedObjectContext else { return nil }
      return Self(
        context: context,
        insertedIDs: notification.ids(NSInsertedObjectIDsKey),
        updatedIDs: notification.ids(NSUpdatedObjectIDsKey),
        deletedIDs: notification.ids(NSDeletedObjectIDsKey),
        refreshedIDs: notification.ids(NSRefreshedObjectIDsKey),
        invalidatedIDs: notification.ids(NSInvalidatedObjectIDsKey),
        queryGeneration: notification.generation,
        historyToken: notification.historyToken
      )
    }

    /// The notification that says what `message` says; a key is absent where it would have nothing.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      var info: [AnyHashable: Any] = [:]
      if !message.insertedIDs.isEmpty { info[NSInsertedObjectIDsKey] = message.insertedIDs }
      if !message.updatedIDs.isEmpty { info[NSUpdatedObjectIDsKey] = message.updatedIDs }
      if !message.deletedIDs.isEmpty { info[NSDeletedObjectIDsKey] = message.deletedIDs }
      if !message.refreshedIDs.isEmpty { info[NSRefreshedObjectIDsKey] = message.refreshedIDs }
      if !message.invalidatedIDs.isEmpty {
        info[NSInvalidatedObjectIDsKey] = message.invalidatedIDs
      }
      info[NSManagedObjectContextQueryGenerationKey] = message.queryGeneration
      info[NSPersistentHistoryTokenKey] = message.historyToken
      return Notification(name: notification, object: message.context, userInfo: info)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidMergeChangesMessage>
{
  /// A context has taken over another's changes.
  public static var didMergeChanges: Self {
    MessageBridge.follow(NSManagedObjectContext.DidMergeChangesMessage.self)
    return .init()
  }
}
