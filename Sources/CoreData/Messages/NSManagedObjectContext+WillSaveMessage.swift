// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A context is about to save.
  ///
  /// Delivered on the main actor, where the notification is posted on the main thread.
  /// Source: documented, “NSManagedObjectContext.WillSaveMessage”; the types of the properties are chosen.
  public struct WillSaveMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// What posts it.
    public typealias Subject = NSManagedObjectContext
    /// The name of the notification that carries the same.
    public static var name: NSNotification.Name { notification }

    /// The context that posts it.
    public let context: NSManagedObjectContext

    static var notification: NSNotification.Name { .NSManagedObjectContextWillSave }
    var subject: NSManagedObjectContext { context }

    /// The message that says what `notification` says; nil where its object is another one.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      guard let context = notification.object as? NSManagedObjectContext else { return nil }
      return Self(
        context: context
      )
    }

    /// The notification that says what `message` says; a key is absent where it would have nothing.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      Notification(name: notification, object: message.context)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.WillSaveMessage> {
  /// A context is about to save.
  public static var willSave: Self {
    MessageBridge.follow(NSManagedObjectContext.WillSaveMessage.self)
    return .init()
  }
}
