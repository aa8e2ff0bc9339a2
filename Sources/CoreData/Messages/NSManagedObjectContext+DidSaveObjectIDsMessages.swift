// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A message that is posted after a context has saved, with the IDs of the saved objects.
  ///
  /// Delivered on the main actor, and only if the notification is posted on the main thread.
  ///
  /// Source: documented, “NSManagedObjectContext.DidSaveObjectIDsMessage”; the property types are this
  /// library's choice.
  public struct DidSaveObjectIDsMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// The type of the object that posts the message.
    public typealias Subject = NSManagedObjectContext
    /// The name of the corresponding notification.
    public static var name: NSNotification.Name { notification }

    let changes: PostedChanges

    /// The context that posts the message.
    public var context: NSManagedObjectContext { changes.context }
    /// The IDs of the inserted objects.
    public var insertedIDs: Set<NSManagedObjectID> { changes.inserted }
    /// The IDs of the updated objects.
    public var updatedIDs: Set<NSManagedObjectID> { changes.updated }
    /// The IDs of the deleted objects.
    public var deletedIDs: Set<NSManagedObjectID> { changes.deleted }
    /// The IDs of the invalidated objects; empty after a save, because a save invalidates no objects.
    public var invalidatedIDs: Set<NSManagedObjectID> { changes.invalidated }
    /// The query generation that the context reads after the save; nil if the context is not pinned.
    public var queryGeneration: NSQueryGenerationToken? { changes.queryGeneration }
    /// The history token after the save; nil if the save was not recorded in a history.
    public var historyToken: NSPersistentHistoryToken? { changes.historyToken }

    static var notification: NSNotification.Name { .NSManagedObjectContextDidSaveObjectIDs }
    var subject: NSManagedObjectContext { context }

    /// Returns the message of `notification`; nil if the notification's object is not a context.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      PostedChanges(notification).map(Self.init(changes:))
    }

    /// Returns the notification of `message`, without the keys of empty sets and nil values.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      message.changes.notification(notification)
    }
  }

  /// A message that is posted after a context has saved, with the IDs of the saved objects.
  ///
  /// Observers run asynchronously, on no particular thread.
  ///
  /// Source: documented, “NSManagedObjectContext.DidSaveObjectIDsAsyncMessage”; the property types are this
  /// library's choice.
  public struct DidSaveObjectIDsAsyncMessage: NotificationCenter.AsyncMessage,
    AsyncNotificationMessage
  {
    /// The type of the object that posts the message.
    public typealias Subject = NSManagedObjectContext
    /// The name of the corresponding notification.
    public static var name: NSNotification.Name { notification }

    let changes: PostedChanges

    /// The context that posts the message.
    public var context: NSManagedObjectContext { changes.context }
    /// The IDs of the inserted objects.
    public var insertedIDs: Set<NSManagedObjectID> { changes.inserted }
    /// The IDs of the updated objects.
    public var updatedIDs: Set<NSManagedObjectID> { changes.updated }
    /// The IDs of the deleted objects.
    public var deletedIDs: Set<NSManagedObjectID> { changes.deleted }
    /// The IDs of the invalidated objects; empty after a save, because a save invalidates no objects.
    public var invalidatedIDs: Set<NSManagedObjectID> { changes.invalidated }
    /// The query generation that the context reads after the save; nil if the context is not pinned.
    public var queryGeneration: NSQueryGenerationToken? { changes.queryGeneration }
    /// The history token after the save; nil if the save was not recorded in a history.
    public var historyToken: NSPersistentHistoryToken? { changes.historyToken }

    static var notification: NSNotification.Name { .NSManagedObjectContextDidSaveObjectIDs }
    var subject: NSManagedObjectContext { context }

    /// Returns the message of `notification`; nil if the notification's object is not a context.
    public static func makeMessage(_ notification: Notification) -> Self? {
      PostedChanges(notification).map(Self.init(changes:))
    }

    /// Returns the notification of `message`, without the keys of empty sets and nil values.
    public static func makeNotification(_ message: Self) -> Notification {
      message.changes.notification(notification)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidSaveObjectIDsMessage>
{
  /// The identifier of `DidSaveObjectIDsMessage`, which is posted after a context has saved, with the IDs of
  /// the saved objects.
  public static var didSaveObjectIDs: Self {
    MessageBridge.startObserving(NSManagedObjectContext.DidSaveObjectIDsMessage.self)
    return .init()
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    NSManagedObjectContext.DidSaveObjectIDsAsyncMessage
  >
{
  /// The identifier of `DidSaveObjectIDsAsyncMessage`, which is posted after a context has saved, with the
  /// IDs of the saved objects.
  public static var didSaveObjectIDsAsync: Self {
    MessageBridge.startObserving(NSManagedObjectContext.DidSaveObjectIDsAsyncMessage.self)
    return .init()
  }
}
