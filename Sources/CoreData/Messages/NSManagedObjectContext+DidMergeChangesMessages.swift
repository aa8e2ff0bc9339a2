// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// A message that is posted after a context has merged changes made elsewhere.
  ///
  /// Delivered on the main actor, and only if the notification is posted on the main thread.
  ///
  /// Source: documented, “NSManagedObjectContext.DidMergeChangesMessage”; the property types are this
  /// library's choice.
  public struct DidMergeChangesMessage: NotificationCenter.MainActorMessage,
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
    /// The IDs of the refreshed objects; empty after a merge, because a merge lists refreshed objects as
    /// updated.
    public var refreshedIDs: Set<NSManagedObjectID> { changes.refreshed }
    /// The IDs of the invalidated objects; a merge leaves out objects that have unsaved changes.
    public var invalidatedIDs: Set<NSManagedObjectID> { changes.invalidated }
    /// The query generation that the context reads after the merge; nil if the context is not pinned.
    public var queryGeneration: NSQueryGenerationToken? { changes.queryGeneration }
    /// The history token in the notification; nil after a merge, because a merge does not write to the
    /// stores.
    public var historyToken: NSPersistentHistoryToken? { changes.historyToken }

    static var notification: NSNotification.Name { .NSManagedObjectContextDidMergeChangesObjectIDs }
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

  /// A message that is posted after a context has merged changes made elsewhere.
  ///
  /// Observers run asynchronously, on no particular thread.
  ///
  /// Source: documented, “NSManagedObjectContext.DidMergeChangesAsyncMessage”; the property types are this
  /// library's choice.
  public struct DidMergeChangesAsyncMessage: NotificationCenter.AsyncMessage,
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
    /// The IDs of the refreshed objects; empty after a merge, because a merge lists refreshed objects as
    /// updated.
    public var refreshedIDs: Set<NSManagedObjectID> { changes.refreshed }
    /// The IDs of the invalidated objects; a merge leaves out objects that have unsaved changes.
    public var invalidatedIDs: Set<NSManagedObjectID> { changes.invalidated }
    /// The query generation that the context reads after the merge; nil if the context is not pinned.
    public var queryGeneration: NSQueryGenerationToken? { changes.queryGeneration }
    /// The history token in the notification; nil after a merge, because a merge does not write to the
    /// stores.
    public var historyToken: NSPersistentHistoryToken? { changes.historyToken }

    static var notification: NSNotification.Name { .NSManagedObjectContextDidMergeChangesObjectIDs }
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
  Self == NotificationCenter.BaseMessageIdentifier<NSManagedObjectContext.DidMergeChangesMessage>
{
  /// The identifier of `DidMergeChangesMessage`, which is posted after a context has merged changes made
  /// elsewhere.
  public static var didMergeChanges: Self {
    MessageBridge.startObserving(NSManagedObjectContext.DidMergeChangesMessage.self)
    return .init()
  }
}

extension NotificationCenter.MessageIdentifier
where
  Self == NotificationCenter.BaseMessageIdentifier<
    NSManagedObjectContext.DidMergeChangesAsyncMessage
  >
{
  /// The identifier of `DidMergeChangesAsyncMessage`, which is posted after a context has merged changes made
  /// elsewhere.
  public static var didMergeChangesAsync: Self {
    MessageBridge.startObserving(NSManagedObjectContext.DidMergeChangesAsyncMessage.self)
    return .init()
  }
}
