// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// `docs/reference/behaviour.md` §11: the name starts with the rule's number.
@Suite struct NotificationRules {
  /// Notifications of a context in order, with what their `userInfo` holds.
  private final class Post: @unchecked Sendable {
    // Unchecked: used on one thread.
    var names: [String] = []
    var infos: [[AnyHashable: Any]] = []
    private var tokens: [any NSObjectProtocol] = []

    init(_ context: NSManagedObjectContext, _ wanted: [NSNotification.Name]) {
      for name in wanted {
        tokens.append(
          NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            [unowned self] in
            names.append($0.name.rawValue)
            infos.append($0.userInfo ?? [:])
          }
        )
      }
    }

    deinit { tokens.forEach { NotificationCenter.default.removeObserver($0) } }

    /// The keys of each post.
    var keys: [[String]] { infos.map { $0.keys.compactMap { $0.base as? String }.sorted() } }
  }

  @Test("NOT-1 a key is absent where its set is empty")
  func not1() throws {
    let web = try WebStack()
    let posts = Post(
      web.context,
      [
        NSManagedObjectContext.willSaveObjectsNotification,
        NSManagedObjectContext.didSaveObjectsNotification,
        NSManagedObjectContext.didSaveObjectIDsNotification,
        NSManagedObjectContext.didChangeObjectsNotification,
      ]
    )
    let node = try web.node("a")
    try web.save()
    #expect(posts.keys == [[], ["inserted"], ["inserted"], ["inserted_objectIDs"]])
    #expect(posts.infos[3][NSInsertedObjectIDsKey] as? Set<NSManagedObjectID> == [node.objectID])
    node.rank = 1
    web.context.processPendingChanges()
    web.context.refresh(node, mergeChanges: true)
    web.context.processPendingChanges()
    #expect(posts.keys.suffix(2) == [["updated"], ["refreshed"]])
    web.context.reset()
    #expect(posts.keys.last == ["invalidatedAll"])
    #expect(posts.infos.last?[NSInvalidatedAllObjectsKey] is [NSManagedObjectID])
  }

  @Test("IDs in notifications equal those that the objects give, temporary ones too")
  func equalIDs() throws {
    let web = try WebStack()
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = web.context
    let posts = Post(child, [NSManagedObjectContext.didSaveObjectIDsNotification])
    let node = NSEntityDescription.insertNewObject(forEntityName: "Node", into: child)
    try child.save()
    let inserted = try #require(
      posts.infos.last?[NSInsertedObjectIDsKey] as? Set<NSManagedObjectID>
    )
    #expect(node.objectID.isTemporaryID && inserted == [node.objectID])
    #expect(inserted.allSatisfy { $0.persistentStore == nil })
    let drops = Post(child, [NSManagedObjectContext.didChangeObjectsNotification])
    let new = NSEntityDescription.insertNewObject(forEntityName: "Node", into: child)
    let ids = [node.objectID, new.objectID]
    child.reset()
    let dropped = try #require(
      drops.infos.last?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
    )
    #expect(dropped.count == 2 && Set(dropped) == Set(ids))
  }

  @Test("NOT-2 changes are posted once for each event, and fetches not at all")
  func not2() throws {
    let web = try WebStack()
    let node = try web.node("a")
    try web.save()
    let posts = Post(web.context, [NSManagedObjectContext.didChangeObjectsNotification])
    for rank in 1...10 { node.rank = Int32(rank) }
    _ = try web.reread("a", in: web.stack.container.newBackgroundContext())
    web.context.processPendingChanges()
    web.context.processPendingChanges()
    #expect(posts.keys == [["updated"]])
  }

  @Test("NOT-5 keys and names have Apple's values")
  func not5() {
    #expect(
      [
        NSInsertedObjectsKey, NSUpdatedObjectsKey, NSDeletedObjectsKey, NSRefreshedObjectsKey,
        NSInvalidatedObjectsKey, NSInvalidatedAllObjectsKey, NSInsertedObjectIDsKey,
        NSUpdatedObjectIDsKey, NSDeletedObjectIDsKey,
      ] == [
        "inserted", "updated", "deleted", "refreshed", "invalidated", "invalidatedAll",
        "inserted_objectIDs", "updated_objectIDs", "deleted_objectIDs",
      ]
    )
    #expect(
      NSNotification.Name.NSManagedObjectContextDidSave.rawValue
        == "NSManagedObjectContextDidSaveNotification"
    )
    #expect(NSDetailedErrorsKey == "NSDetailedErrors")
    #expect(NSValidationObjectErrorKey == "NSValidationErrorObject")
    #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
  }
}
