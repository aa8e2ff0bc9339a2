// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A message whose notification is one of Core Data's, delivered on the main actor.
protocol MainActorNotificationMessage: NotificationCenter.MainActorMessage {
  /// The notification that is turned into the message.
  static var notification: NSNotification.Name { get }
  @MainActor static func makeMessage(_ notification: Notification) -> Self?
  /// The notification's object.
  @MainActor var subject: Subject { get }
}

/// A message whose notification is one of Core Data's, delivered by itself.
protocol AsyncNotificationMessage: NotificationCenter.AsyncMessage {
  /// The notification that is turned into the message.
  static var notification: NSNotification.Name { get }
  static func makeMessage(_ notification: Notification) -> Self?
  /// The notification's object.
  var subject: Subject { get }
}

/// Turns notifications of the default centre into typed messages, once somebody may observe them.
///
/// Off Apple's systems notifications and messages do not meet by themselves: whoever observes a message
/// asks for its identifier, such as `.didSave`, and from then on an observer of the notification posts
/// it too. A program that observes no message pays nothing. Source: chosen.
enum MessageBridge {
  private static let bridged = Mutex<Set<ObjectIdentifier>>([])

  private static func isNew(_ type: Any.Type) -> Bool {
    bridged.withLock { $0.insert(ObjectIdentifier(type)).inserted }
  }

  /// Follows the notification, for somebody who may observe the message.
  ///
  /// Notifications that are posted off the main thread become no main-actor messages.
  static func follow<Message: MainActorNotificationMessage>(
    _ type: Message.Type
  ) where Message.Subject: AnyObject {
    let name = Message.notification
    guard isNew(type) else { return }
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      guard CurrentThread.isMain else { return }
      let carried = Transfer($0)
      MainActor.assumeIsolated {
        guard let message = Message.makeMessage(carried.value) else { return }
        NotificationCenter.default.post(message, subject: message.subject)
      }
    }
  }

  /// Follows the notification, for somebody who may observe the message.
  static func follow<Message: AsyncNotificationMessage>(
    _ type: Message.Type
  ) where Message.Subject: AnyObject {
    let name = Message.notification
    guard isNew(type) else { return }
    _ = NotificationCenter.default.addObserver(forName: name, object: nil, queue: nil) {
      guard let message = Message.makeMessage($0) else { return }
      NotificationCenter.default.post(message, subject: message.subject)
    }
  }
}

extension Notification {
  func set(_ key: String) -> Set<NSManagedObject> { userInfo?[key] as? Set<NSManagedObject> ?? [] }
  func ids(_ key: String) -> Set<NSManagedObjectID> {
    userInfo?[key] as? Set<NSManagedObjectID> ?? []
  }
  var generation: NSQueryGenerationToken? {
    userInfo?[NSManagedObjectContextQueryGenerationKey] as? NSQueryGenerationToken
  }
  func stores(_ key: String) -> [NSPersistentStore] { userInfo?[key] as? [NSPersistentStore] ?? [] }
}
