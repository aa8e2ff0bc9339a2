// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A context has saved: the IDs of its objects.
  ///
  /// Delivered on the main actor, where the notification is posted on the main thread.
  /// Source: documented, “NSManagedObjectContext.DidSaveObjectIDsMessage”; the types of the properties are chosen.
  public struct DidSaveObjectIDsMessage: NotificationCenter.MainActorMessage,
    MainActorNotificationMessage
  {
    /// What posts it.
    public typealias Subject = NSManagedObjectContext
    /// The name of the notification that carries the same.
    public static var name: NSNotification.Name { notification }

    let changes: PostedChanges

    /// The context that posts it.
    public var context: NSManagedObjectContext { changes.context }
    /// The IDs of the objects inserted.
    public var insertedIDs: Set<NSManagedObjectID> { changes.inserted }
    /// The IDs of the objects changed.
    public var updatedIDs: Set<NSManagedObjectID> { changes.updated }
    /// The IDs of the objects deleted.
    public var deletedIDs: Set<NSManagedObjectID> { changes.deleted }
    /// The IDs of the objects that are no longer valid.
    public var invalidatedIDs: Set<NSManagedObjectID> { changes.invalidated }
    /// The generation that the context reads from then on; nil where it is not pinned.
    public var queryGeneration: NSQueryGenerationToken? { changes.queryGeneration }
    /// The token of the save in the stores' histories; nil where they have none.
    public var historyToken: NSPersistentHistoryToken? { changes.historyToken }

    static var notification: NSNotification.Name { .NSManagedObjectContextDidSaveObjectIDs }
    var subject: NSManagedObjectContext { context }

    /// Returns the message of `notification`; nil where its object is not a context.
    @MainActor public static func makeMessage(_ notification: Notification) -> Self? {
      PostedChanges(notification).map(Self.init(changes:))
    }

    /// Returns the notification of `message`, without the keys of empty sets.
    @MainActor public static func makeNotification(_ message: Self) -> Notification {
      message.changes.notification(notification)
    }
  }

  /// A context has saved: the IDs of its objects.
  ///
  /// Delivered wherever the notification is posted, on no particular thread.
  /// Source: documented, “NSManagedObjectContext.DidSaveObjectIDsAsyncMessage”; the types of the properties are chosen.
  public struct DidSaveObjectIDsAsyncMessage: NotificationCenter.AsyncMessage,
    AsyncNotificationMessage
  {
    /// What posts it.
    public typealias Subject = NSManagedObjectContext
    /// The name of the notification that carries the same.
    public static var name: NSNotification.Name { notification }

    let changes: PostedChanges

    /// The context that posts it.
    public var context: NSManagedObjectContext { changes.context }
    /// The IDs of the objects inserted.
    public var insertedIDs: Set<NSManagedObjectID> { changes.inserted }
    /// The IDs of the objects changed.
    public var updatedIDs: Set<NSManagedObjectID> { changes.updated }
    /// The IDs of the objects deleted.
    public var deletedIDs: Set<NSManagedObjectID> { changes.deleted }
    /// The IDs of the objects that are no longer valid.
    public var invalidatedIDs: Set<NSManagedObjectID> { changes.invalidated }
    /// The generation that the context reads from then on; nil where it is not pinned.
    public var queryGeneration: NSQueryGenerationToken? { changes.queryGeneration }
    /// The token of the save in the stores' histories; nil where they have none.
    public var historyToken: NSPersistentHistoryToken? { changes.historyToken }

    static var notification: NSNotification.Name { .NSManagedObjectContextDidSaveObjectIDs }
    var subject: NSManagedObjectContext { context }

    /// Returns the message of `notification`; nil where its object is not a context.
    public static func makeMessage(_ notification: Notification) -> Self? {
      PostedChanges(notification).map(Self.init(changes:))
    }

    /// Returns the notification of `message`, without the keys of empty sets.
    public static func makeNotification(_ message: Self) -> Notification {
      message.changes.notification(notification)
    }
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidSaveObjectIDsMessage>
{
  /// A context has saved: the IDs of its objects.
  public static var didSaveObjectIDs: Self {
    MessageBridge.follow(NSManagedObjectContext.DidSaveObjectIDsMessage.self)
    return .init()
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    NSManagedObjectContext.DidSaveObjectIDsAsyncMessage
  >
{
  /// A context has saved: the IDs of its objects.
  public static var didSaveObjectIDsAsync: Self {
    MessageBridge.follow(NSManagedObjectContext.DidSaveObjectIDsAsyncMessage.self)
    return .init()
  }
}
