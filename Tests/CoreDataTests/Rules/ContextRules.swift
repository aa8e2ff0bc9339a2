// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The rules of behaviour.md §6 that are documented or tested, but for those of undo and conflicts.
@Suite struct ContextRules {
  private func titles(
    _ context: NSManagedObjectContext,
    _ format: String? = nil
  ) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return try context.fetch(request).map { $0.value(forKey: "title") as? String ?? "nil" }
  }

  @Test("CTX-1 a fetch judges unsaved objects by their values in memory", arguments: stores)
  func ctx1(type: String) throws {
    let stack = try LibraryStack(type)
    let (a, b) = (stack.make("Book", ["title": "a"]), stack.make("Book", ["title": "b"]))
    let gone = stack.make("Book", ["title": "c"])
    try stack.context.save()
    a.setValue("z", forKey: "title")
    b.setValue("a", forKey: "title")
    stack.context.delete(gone)
    _ = stack.make("Book", ["title": "new"])
    #expect(try titles(stack.context) == ["a", "new", "z"])
    #expect(try titles(stack.context, "title == 'a'") == ["a"])
    #expect(try titles(stack.context, "title == 'c'").isEmpty)
    #expect(try titles(stack.container.newBackgroundContext()) == ["a", "b", "c"])
  }

  @Test("CTX-2 a count is that of what the fetch would give", arguments: stores)
  func ctx2(type: String) throws {
    let stack = try LibraryStack(type)
    for title in ["a", "b"] { _ = stack.make("Book", ["title": title]) }
    try stack.context.save()
    _ = stack.make("Book", ["title": "c"])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    for (limit, offset) in [(0, 0), (2, 0), (2, 2), (0, 1), (0, 9)] {
      request.fetchLimit = limit
      request.fetchOffset = offset
      #expect(try stack.context.count(for: request) == stack.context.fetch(request).count)
    }
    request.predicate = NSPredicate(format: "no.such.key == 1")
    #expect(throws: (any Error).self) { try stack.context.count(for: request) }
  }

  @Test("CTX-3 deleting forgets a new object and marks a saved one")
  func ctx3() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let saved = stack.make("Book")
    try stack.context.save()
    let fresh = stack.make("Book")
    stack.context.delete(fresh)
    stack.context.delete(saved)
    #expect(stack.context.deletedObjects == [saved] && stack.context.insertedObjects.isEmpty)
    #expect(saved.isDeleted)
    try stack.context.save()
    #expect(try stack.reread("Book").isEmpty)
  }

  @Test("CTX-4 inserting registers an object under a temporary ID")
  func ctx4() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let entity = try #require(stack.container.managedObjectModel.entitiesByName["Tag"])
    let tag = NSManagedObject(entity: entity, insertInto: nil)
    tag.setValue("later", forKey: "name")
    #expect(tag.managedObjectContext == nil && !tag.isInserted)
    stack.context.insert(tag)
    #expect(tag.objectID.isTemporaryID && tag.isInserted)
    #expect(stack.context.registeredObject(for: tag.objectID) === tag)
    #expect(stack.context.insertedObjects == [tag])
    #expect(tag.value(forKey: "name") as? String == "later")
  }

  @Test("CTX-5 pending changes are processed by perform, a save and a fetch, not by performAndWait")
  func ctx5() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let author = stack.make("Author")
    let book = stack.make("Book")
    book.setValue(author, forKey: "author")
    try context.save()
    let changes = Posts(context, NSManagedObjectContext.didChangeObjectsNotification)
    context.performAndWait { context.delete(author) }
    #expect(changes.count == 0 && !book.isDeleted, "a cascade waits for the processing")
    await context.perform {}
    #expect(changes.count == 1 && book.isDeleted)
    context.rollback()
    let before = changes.count
    book.setValue("x", forKey: "title")
    _ = try titles(context)
    #expect(changes.count == before + 1)
    book.setValue("y", forKey: "title")
    try context.save()
    #expect(changes.count == before + 2)
  }

  @Test("CTX-5 on the main queue the end of a turn processes pending changes")
  @MainActor func ctx5MainQueue() async throws {
    let view = try LibraryStack(NSInMemoryStoreType).container.viewContext
    let changes = Posts(view, NSManagedObjectContext.didChangeObjectsNotification)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: view)
    _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: view)
    #expect(changes.count == 0)
    await view.perform(schedule: .enqueued) {}
    #expect(changes.count == 1)
  }

  @Test("CTX-6 a reset forgets every object and says so once")
  func ctx6() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let book = stack.make("Book")
    try stack.context.save()
    _ = stack.make("Book")
    let changes = Posts(stack.context, NSManagedObjectContext.didChangeObjectsNotification)
    let id = book.objectID
    stack.context.reset()
    #expect(stack.context.registeredObjects.isEmpty && !stack.context.hasChanges)
    #expect(stack.context.registeredObject(for: id) == nil && book.managedObjectContext == nil)
    #expect(changes.infos.count == 1)
    let all = changes.infos.first?[NSInvalidatedAllObjectsKey] as? [NSManagedObjectID]
    #expect(all?.count == 2 && all?.contains(id) == true)
    #expect(try stack.context.existingObject(with: id) !== book)
  }

  @Test("CTX-7 a rollback restores what was committed, without an undo manager and a statement")
  func ctx7() throws {
    let stack = try LibraryStack()
    let (book, gone) = (stack.make("Book", ["title": "a"]), stack.make("Book", ["title": "b"]))
    try stack.context.save()
    book.setValue("z", forKey: "title")
    stack.context.delete(gone)
    let new = stack.make("Book", ["title": "c"])
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let before = store.statements.counts.started
    stack.context.rollback()
    #expect(store.statements.counts.started == before)
    #expect(book.value(forKey: "title") as? String == "a" && !book.hasChanges)
    #expect(!gone.isDeleted && gone.value(forKey: "title") as? String == "b")
    #expect(new.managedObjectContext == nil && !stack.context.hasChanges)
    #expect(try titles(stack.context) == ["a", "b"])
  }

  @Test("CTX-10 requests are executed and give results; save requests are not")
  func ctx10() throws {
    let stack = try LibraryStack()
    _ = stack.make("Book", ["title": "a"])
    try stack.context.save()
    let update = NSBatchUpdateRequest(entityName: "Book")
    update.propertiesToUpdate = ["title": "b"]
    update.resultType = .updatedObjectsCountResultType
    let result: NSPersistentStoreResult = try stack.context.execute(update)
    #expect((result as? NSBatchUpdateResult)?.result as? Int == 1)
    #expect(try stack.texts("Book", "title") == ["b"])
    _ = stack.make("Book")
    let error = #expect(throws: NSError.self) { try stack.context.execute(SaveRequest()) }
    #expect(error?.code == NSPersistentStoreUnsupportedRequestTypeError)
    #expect(stack.context.hasChanges)
  }

  @Test("CTX-11 hasChanges can be observed")
  func ctx11() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    var told: [String] = []
    let options: NSKeyValueObservingOptions = [.initial, .old, .new, .prior]
    let context = stack.context
    let observation = context.observe(\.hasChanges, options: options) { context, change in
      let old = change.oldValue.map { "\($0)" } ?? "-"
      told.append("\(old) \(change.newValue.map { "\($0)" } ?? "-") \(context.hasChanges)")
    }
    func news() -> [String] {
      defer { told = [] }
      return told
    }
    let (on, off) = (["false - true", "false true true"], ["true - false", "true false false"])
    #expect(news() == ["- false false"])
    let book = stack.make("Book", ["title": "a"])
    #expect(news() == on)
    book.setValue("b", forKey: "title")
    context.processPendingChanges()
    #expect(news().isEmpty)
    try context.save()
    #expect(news() == off)
    book.setValue("c", forKey: "title")
    #expect(news() == on)
    context.rollback()
    #expect(news() == off)
    context.delete(book)
    #expect(news() == on)
    context.reset()
    #expect(news() == off)
    // New and gone before anybody heard of it.
    context.delete(stack.make("Tag"))
    context.processPendingChanges()
    #expect(news() == on + off)
    observation.invalidate()
    _ = stack.make("Tag")
    #expect(news().isEmpty)
  }

  @Test("CTX-12 taking the coordinator away stops the program; in use it cannot be changed")
  func ctx12() async throws {
    let nothing = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      try LibraryStack(NSInMemoryStoreType).context.persistentStoreCoordinator = nil
    }
    let late = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      let tag = stack.make("Tag")
      let other = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
      withExtendedLifetime(tag) { stack.context.persistentStoreCoordinator = other }
    }
    let lateParent = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      let child = NSManagedObjectContext(.privateQueue)
      child.parent = stack.context
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: child)
      withExtendedLifetime(tag) { child.parent = stack.container.newBackgroundContext() }
    }
    func text(_ result: ExitTest.Result) -> String {
      String(decoding: result.standardErrorContent, as: UTF8.self)
    }
    #expect(text(lateParent).contains("Can't change the parent"))
    #expect(text(nothing).contains("persistentStoreCoordinator cannot be set to nil"))
    #expect(text(late).contains("Can't change the coordinator of a context that has objects"))
  }

  @Test("CTX-12 a context has a parent or a coordinator of its own")
  func ctx12Exclusive() throws {
    let (stack, other) = (
      try LibraryStack(NSInMemoryStoreType), try LibraryStack(NSInMemoryStoreType)
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = other.container.persistentStoreCoordinator
    context.parent = stack.context
    #expect(context.persistentStoreCoordinator === stack.container.persistentStoreCoordinator)
    context.persistentStoreCoordinator = other.container.persistentStoreCoordinator
    #expect(context.parent == nil)
  }

  @Test("CTX-13 a new context has the documented settings")
  func ctx13() throws {
    let context = NSManagedObjectContext(.privateQueue)
    let (policy, expected) = (context.mergePolicy as? NSMergePolicy, NSErrorMergePolicy)
    #expect(policy != nil && policy == expected as? NSMergePolicy)
    #expect(!context.automaticallyMergesChangesFromParent && !context.retainsRegisteredObjects)
    #expect(context.stalenessInterval == -1 && context.propagatesDeletesAtEndOfEvent)
    #expect(context.shouldDeleteInaccessibleFaults)
    #expect(context.name == nil && context.transactionAuthor == nil)
    #expect(context.userInfo.count == 0 && context.persistentStoreCoordinator == nil)
    #expect(!context.hasChanges && context.registeredObjects.isEmpty)
  }

  @Test("CTX-14 a clean context can be saved: nothing is written, the notifications come")
  func ctx14() throws {
    let stack = try LibraryStack()
    let will = Posts(stack.context, NSManagedObjectContext.willSaveObjectsNotification)
    let did = Posts(stack.context, NSManagedObjectContext.didSaveObjectsNotification)
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let before = store.statements.counts.started
    try stack.context.save()
    #expect(store.statements.counts.started == before)
    #expect(will.count == 1 && did.count == 1 && did.infos[0].isEmpty)
  }

  static let stores = [NSSQLiteStoreType, NSInMemoryStoreType]
}

private final class SaveRequest: NSPersistentStoreRequest {
  override var requestType: NSPersistentStoreRequestType { .saveRequestType }
}
