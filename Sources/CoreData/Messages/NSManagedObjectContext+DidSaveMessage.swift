// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A message that is posted after a context has saved, with the saved objects.
  ///
  /// Delivered on the main actor, and only if the notification is posted on the main thread.
  ///
  /// Source: documented, “NSManagedObjectContext.DidSaveMessage”; the property types are this library's
  /// choice.
  public struct DidSaveMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// The type of the object that posts the message.
    public typealias Subject = NSManagedObjectContext
    /// The name of the corresponding notification.
    public static var name: NSNotification.Name { notification }

    /// The context that posts the message.
    public let context: NSManagedObjectContext
    /// The inserted objects.
    public let inserted: Set<NSManagedObject>
    /// The updated objects.
    public let updated: Set<NSManagedObject>
    /// The deleted objects.
    public let deleted: Set<NSManagedObject>
    /// The query generation that the context reads after the save; nil if the context is not pinned.
    public let queryGeneration: NSQueryGenerationToken?
    /// The history token after the save; nil if the save was not recorded in a history.
    public let historyToken: NSPersistentHistoryToken?

    static var notification: NSNotification.Name { .NSManagedObjectContextDidSave }
    var subject: NSManagedObjectContext { context }

    /// Returns the message of `notification`; nil if the notification's object is not a context.
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

    /// Returns the notification of `message`; keys of empty sets and nil values are absent.
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
  /// The identifier of `DidSaveMessage`, which is posted after a context has saved, with the saved objects.
  public static var didSave: Self {
    MessageBridge.startObserving(NSManagedObjectContext.DidSaveMessage.self)
    return .init()
  }
}
