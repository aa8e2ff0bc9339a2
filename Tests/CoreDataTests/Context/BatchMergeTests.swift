// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Batches merged by themselves (ours): contexts, children and results controllers follow.
@Suite struct BatchMergeTests {
  private func follower(_ stack: LibraryStack) -> NSManagedObjectContext {
    let context = stack.container.newBackgroundContext()
    context.automaticallyMergesBatchChanges = true
    return context
  }

  @Test func aContextThatAsksForItTakesOverWhatBatchesChange() throws {
    let stack = try LibraryStack()
    let tag = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    let reader = follower(stack)
    let deaf = stack.container.newBackgroundContext()
    let seen = try reader.performAndWait { try reader.existingObject(with: tag.objectID) }
    let unseen = try deaf.existingObject(with: tag.objectID)
    _ = try stack.update("Tag", ["name": "b"], .statusOnlyResultType)
    #expect(reader.performAndWait { seen.text("name") } == "b")
    #expect(unseen.text("name") == "a" && tag.text("name") == "a")
    _ = try stack.delete("Tag", nil, .resultTypeStatusOnly)
    #expect(reader.performAndWait { seen.managedObjectContext == nil || seen.isDeleted })
    #expect(!unseen.isDeleted)
  }

  @Test func theExecutingContextHasMergedWhenTheRequestIsDone() throws {
    let stack = try LibraryStack()
    let tag = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    stack.context.automaticallyMergesBatchChanges = true
    _ = try stack.update("Tag", ["name": "b"])
    #expect(tag.text("name") == "b" && !stack.context.hasChanges)
  }

  @Test func aCoordinatorCanAskForAllItsContexts() throws {
    let stack = try LibraryStack()
    let tag = stack.make("Tag", ["name": "a"])
    try stack.context.save()
    let coordinator = stack.container.persistentStoreCoordinator
    #expect(!coordinator.automaticallyMergesBatchChanges)
    coordinator.automaticallyMergesBatchChanges = true
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    let seen = try child.performAndWait { try child.existingObject(with: tag.objectID) }
    _ = try stack.update("Tag", ["name": "b"])
    #expect(tag.text("name") == "b")
    #expect(child.performAndWait { seen.text("name") } == "b")
  }

  @Test func unsavedChangesStayOnTopOfABatch() throws {
    let stack = try LibraryStack()
    let book = stack.make("Book", ["title": "a", "pages": 1])
    try stack.context.save()
    stack.context.automaticallyMergesBatchChanges = true
    book.setValue("mine", forKey: "title")
    _ = try stack.update("Book", ["title": "theirs", "pages": 2])
    #expect(book.text("title") == "mine" && book.int("pages") == 2)
    try stack.context.save()
    #expect(try stack.texts("Book", "title") == ["mine"])
  }

  @Test func whatDeleteRulesReachIsMergedToo() throws {
    let stack = try LibraryStack()
    let author = stack.make("Author", ["name": "a"])
    let book = stack.make("Book", ["title": "b"])
    book.setValue(author, forKey: "author")
    let cover = stack.make("Cover", ["colour": "red"])
    book.setValue(cover, forKey: "cover")
    let tag = stack.make("Tag", ["name": "t"])
    book.setValue(NSSet(object: tag), forKey: "tags")
    try stack.context.save()
    stack.context.automaticallyMergesBatchChanges = true
    #expect(try stack.delete("Author") as? Int == 1)
    #expect(author.isDeleted && book.isDeleted && cover.isDeleted && !tag.isDeleted)
    #expect(tag.members("books").isEmpty)
  }

  @Test func aResultsControllerFollowsEveryKindOfBatch() throws {
    let stack = try LibraryStack()
    _ = try stack.insert("Tag", [["name": "b"], ["name": "d"]])
    stack.context.automaticallyMergesBatchChanges = true
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    request.predicate = NSPredicate(format: "name != 'z'")
    let controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: stack.context,
      sectionNameKeyPath: nil,
      cacheName: nil
    )
    let delegate = Listener()
    controller.delegate = delegate
    try controller.performFetch()
    func names() -> [String?] { controller.fetchedObjects?.map { $0.text("name") } ?? [] }
    _ = try stack.insert("Tag", [["name": "c"], ["name": "a"], ["name": "z"]])
    #expect(names() == ["a", "b", "c", "d"])
    _ = try stack.update("Tag", ["name": "e"], where: NSPredicate(format: "name == 'b'"))
    #expect(names() == ["a", "c", "d", "e"])
    _ = try stack.update("Tag", ["name": "z"], where: NSPredicate(format: "name == 'c'"))
    #expect(names() == ["a", "d", "e"])
    _ = try stack.delete("Tag", where: NSPredicate(format: "name < 'e'"))
    #expect(names() == ["e"])
    #expect(delegate.contents == 4)
  }

  @Test func upsertedRowsAreReportedAsChangedAndNewOnesAsInserted() throws {
    let stack = try LibraryStack(model: Registry.model())
    _ = try stack.insert("City", [["code": "B", "name": "Berlin"]])
    let berlin = try #require(try stack.reread("City", in: stack.context).first)
    #expect(berlin.text("name") == "Berlin")
    stack.context.automaticallyMergesBatchChanges = true
    stack.context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    let merged = Merged()
    let token = NotificationCenter.default.addObserver(
      forName: .NSManagedObjectContextDidMergeChangesObjectIDs,
      object: stack.context,
      queue: nil
    ) { merged.record($0) }
    defer { NotificationCenter.default.removeObserver(token) }
    _ = try stack.insert("City", [["code": "B", "name": "Bonn"], ["code": "C", "name": "Cork"]])
    #expect(merged.counts == [NSInsertedObjectIDsKey: 1, NSUpdatedObjectIDsKey: 1])
    #expect(berlin.text("name") == "Bonn")
  }

  @Test func withoutFollowersABatchAsksForNoKeys() throws {
    let stack = try LibraryStack()
    _ = try stack.insert("Tag", [["name": "a"]])
    let deaf = try stack.statements { _ = try stack.update("Tag", ["name": "b"]) }
    #expect(deaf[1].hasPrefix("UPDATE ZTAG AS t0 SET ") && deaf[1].hasSuffix(", ZNAME = ?"))
    stack.context.automaticallyMergesBatchChanges = true
    let told = try stack.statements { _ = try stack.update("Tag", ["name": "b"]) }
    #expect(told[1].hasSuffix(" RETURNING Z_PK, Z_ENT"))
  }
}

/// Counts the changes of a controller's contents.
private final class Listener: NSFetchedResultsControllerDelegate {
  private(set) var contents = 0
  func controllerDidChangeContent(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    contents += 1
  }
}

/// How many IDs a merge notification had under each key.
private final class Merged: @unchecked Sendable {
  // Unchecked: the observed context is used on one thread.
  private(set) var counts: [String: Int] = [:]
  func record(_ notification: Notification) {
    for (key, value) in notification.userInfo ?? [:] {
      if let key = key as? String, let ids = value as? Set<NSManagedObjectID> {
        counts[key] = ids.count
      }
    }
  }
}
