// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A message that is posted before a context saves.
  ///
  /// Delivered on the main actor, and only if the notification is posted on the main thread.
  ///
  /// Source: documented, “NSManagedObjectContext.WillSaveMessage”; the property types are this library's
  /// choice.
  public struct WillSaveMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// The type of the object that posts the message.
    public typealias Subject = NSManagedObjectContext
    /// The name of the corresponding notification.
    public static var name: NSNotification.Name { notification }

    /// The context that posts the message.
    public let context: NSManagedObjectContext

    static var notification: NSNotification.Name { .NSManagedObjectContextWillSave }
    var subject: NSManagedObjectContext { context }

    /// Returns the message of `notification`; nil if the notification's object is not a context.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      guard let context = notification.object as? NSManagedObjectContext else { return nil }
      return Self(
        context: context
      )
    }

    /// Returns the notification of `message`, which has no `userInfo`.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      Notification(name: notification, object: message.context)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.WillSaveMessage> {
  /// The identifier of `WillSaveMessage`, which is posted before a context saves.
  public static var willSave: Self {
    MessageBridge.startObserving(NSManagedObjectContext.WillSaveMessage.self)
    return .init()
  }
}
