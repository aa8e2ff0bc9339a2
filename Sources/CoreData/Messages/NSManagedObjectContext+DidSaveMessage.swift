// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A context has saved: its objects.
  ///
  /// Delivered on the main actor, where the notification is posted on the main thread.
  /// Source: documented, “NSManagedObjectContext.DidSaveMessage”; the types of the properties are chosen.
  public struct DidSaveMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// What posts it.
    public typealias Subject = NSManagedObjectContext
    /// The name of the notification that carries the same.
    public static var name: NSNotification.Name { notification }

    /// The context that posts it.
    public let context: NSManagedObjectContext
    /// The objects inserted.
    public let inserted: Set<NSManagedObject>
    /// The objects changed.
    public let updated: Set<NSManagedObject>
    /// The objects deleted.
    public let deleted: Set<NSManagedObject>
    /// The moment that the context reads from then on; nil where it is not pinned.
    public let queryGeneration: NSQueryGenerationToken?
    /// The place behind the save in the stores' histories; nil where they have none.
    public let historyToken: NSPersistentHistoryToken?

    static var notification: NSNotification.Name { .NSManagedObjectContextDidSave }
    var subject: NSManagedObjectContext { context }

    /// The message that says what `notification` says; nil where its object is another one.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      guard let context = notification.object as? NSManagedObjectContext else { return nil }
      return Self(
        context: context,
        inserted: notification.set(NSInsertedObjectsKey),
        updated: notification.set(NSUpdatedObjectsKey),
        deleted: notification.set(NSDeletedObjectsKey),
        queryGeneration: notification.generation,
        historyToken: notification.historyToken
      )
    }

    /// The notification that says what `message` says; a key is absent where it would have nothing.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      var info: [AnyHashable: Any] = [:]
      if !message.inserted.isEmpty { info[NSInsertedObjectsKey] = message.inserted }
      if !message.updated.isEmpty { info[NSUpdatedObjectsKey] = message.updated }
      if !message.deleted.isEmpty { info[NSDeletedObjectsKey] = message.deleted }
      info[NSManagedObjectContextQueryGenerationKey] = message.queryGeneration
      info[NSPersistentHistoryTokenKey] = message.historyToken
      return Notification(name: notification, object: message.context, userInfo: info)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidSaveMessage> {
  /// A context has saved: its objects.
  public static var didSave: Self {
    MessageBridge.follow(NSManagedObjectContext.DidSaveMessage.self)
    return .init()
  }
}
