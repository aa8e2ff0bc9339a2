// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A message that is posted after objects of a context have changed.
  ///
  /// Delivered on the main actor, and only if the notification is posted on the main thread.
  ///
  /// Source: documented, “NSManagedObjectContext.ObjectsDidChangeMessage”; the property types are this
  /// library's choice.
  public struct ObjectsDidChangeMessage: NotificationCenter.MainActorMessage,
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
    /// The objects that were refreshed without a change in this context.
    public let refreshed: Set<NSManagedObject>
    /// The objects that became faults because merged changes listed them as invalidated.
    public let invalidated: Set<NSManagedObject>
    /// The IDs of the objects that a reset removed from the context; empty for any other change.
    public let invalidatedAll: [NSManagedObjectID]

    static var notification: NSNotification.Name { .NSManagedObjectContextObjectsDidChange }
    var subject: NSManagedObjectContext { context }

    /// Returns the message of `notification`; nil if the notification's object is not a context.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      guard let context = notification.object as? NSManagedObjectContext else { return nil }
      return Self(
        context: context,
        inserted: notification.set(NSInsertedObjectsKey),
        updated: notification.set(NSUpdatedObjectsKey),
        deleted: notification.set(NSDeletedObjectsKey),
        refreshed: notification.set(NSRefreshedObjectsKey),
        invalidated: notification.set(NSInvalidatedObjectsKey),
        invalidatedAll: notification.userInfo?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
          ?? []
      )
    }

    /// Returns the notification of `message`; keys of empty collections are absent.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      var info: [AnyHashable: Any] = [:]
      if !message.inserted.isEmpty { info[NSInsertedObjectsKey] = message.inserted }
      if !message.updated.isEmpty { info[NSUpdatedObjectsKey] = message.updated }
      if !message.deleted.isEmpty { info[NSDeletedObjectsKey] = message.deleted }
      if !message.refreshed.isEmpty { info[NSRefreshedObjectsKey] = message.refreshed }
      if !message.invalidated.isEmpty { info[NSInvalidatedObjectsKey] = message.invalidated }
      if !message.invalidatedAll.isEmpty {
        info[NSInvalidatedAllObjectsKey] = message.invalidatedAll
      }
      return Notification(name: notification, object: message.context, userInfo: info)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.ObjectsDidChangeMessage>
{
  /// The identifier of `ObjectsDidChangeMessage`, which is posted after objects of a context have changed.
  public static var objectsDidChange: Self {
    MessageBridge.startObserving(NSManagedObjectContext.ObjectsDidChangeMessage.self)
    return .init()
  }
}
