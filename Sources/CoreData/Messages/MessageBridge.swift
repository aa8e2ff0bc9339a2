// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

protocol MainActorNotificationMessage: NotificationCenter.MainActorMessage {
  static var notification: NSNotification.Name { get }
  @MainActor static func makeMessage(_ notification: Notification) -> Self?
  @MainActor var subject: Subject { get }
}

protocol AsyncNotificationMessage: NotificationCenter.AsyncMessage {
  static var notification: NSNotification.Name { get }
  static func makeMessage(_ notification: Notification) -> Self?
  var subject: Subject { get }
}

/// Posts typed messages for notifications of the default centre, once a program has read the identifier of
/// the message.
///
/// Outside Apple's systems notifications and messages are not connected. Reading the identifier of a message,
/// such as `.didSave`, starts an observer of the corresponding notification, which posts the message. A
/// program that reads no identifier has no observers.
///
/// Source: this library's choice.
enum MessageBridge {
  private static let bridged = Mutex<Set<ObjectIdentifier>>([])

  private static func isNew(_ type: Any.Type) -> Bool {
    bridged.withLock { $0.insert(ObjectIdentifier(type)).inserted }
  }

  /// Starts an observer that posts a message for each notification; only the first call for a type has an
  /// effect.
  ///
  /// Notifications that are posted off the main thread are ignored.
  static func startObserving<Message: MainActorNotificationMessage>(
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

  /// Starts an observer that posts a message for each notification; only the first call for a type has an
  /// effect.
  static func startObserving<Message: AsyncNotificationMessage>(
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
