// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite("Rules of parent and child contexts (behaviour.md §8)")
struct NestingRules {
  private let stack: LibraryStack
  private let root: NSManagedObjectContext
  private let child: NSManagedObjectContext

  init() throws {
    let model = Library.model()
    let note = NSAttributeDescription()
    note.name = "note"
    note.attributeType = .stringAttributeType
    note.isTransient = true
    let live = NSAttributeDescription()
    live.name = "live"
    live.attributeType = .undefinedAttributeType
    live.isTransient = true
    model.entitiesByName["Tag"]?.properties += [note, live]
    stack = try LibraryStack(NSSQLiteStoreType, model: model)
    root = stack.context
    child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = root
  }

  private func make(_ entity: String, _ label: String) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: child)
    object.setValue(label, forKey: LibraryEdits.labelKey(entity))
    return object
  }

  @Test("PC-1 a child's save changes the parent, and nothing is stored before the root saves")
  func pushes() throws {
    let book = stack.make("Book", ["title": "a", "pages": 1])
    let gone = stack.make("Book", ["title": "gone"])
    try root.save()
    let copy = child.object(with: book.objectID)
    copy.setValue("b", forKey: "title")
    child.delete(child.object(with: gone.objectID))
    let tag = make("Tag", "new")
    tag.setValue(Set([copy]), forKey: "books")
    #expect(book.text("title") == "a" && !root.hasChanges)
    try child.save()
    #expect(!child.hasChanges && root.hasChanges)
    #expect(book.text("title") == "b" && book.isUpdated && gone.isDeleted)
    #expect(root.insertedObjects.compactMap { $0.text("name") } == ["new"])
    #expect(book.members("tags") == root.insertedObjects)
    #expect(try stack.reread("Tag").isEmpty)
    try root.save()
    #expect(try stack.reread("Tag").count == 1)
    #expect(try stack.reread("Book").compactMap { $0.text("title") } == ["b"])
  }

  @Test("PC-1 where both have changed something the child's value stays, without a conflict")
  func childWins() throws {
    let book = stack.make("Book", ["title": "a", "pages": 1])
    let authors = ["x", "y"].map { stack.make("Author", ["name": $0]) }
    try root.save()
    let copy = child.object(with: book.objectID)
    copy.setValue("child", forKey: "title")
    copy.setValue(child.object(with: authors[1].objectID), forKey: "author")
    book.setValue("parent", forKey: "title")
    book.setValue(7, forKey: "pages")
    book.setValue(authors[0], forKey: "author")
    try child.save()
    #expect(book.text("title") == "child" && book.int("pages") == 7)
    #expect(book.value(forKey: "author") as? NSManagedObject === authors[1])
    #expect(authors.map { $0.members("books").count } == [0, 1])
    try root.save()
  }

  @MainActor
  @Test("PC-2 parents are main-queue or private-queue contexts, to any depth")
  func depth() throws {
    let view = stack.container.viewContext
    let middle = NSManagedObjectContext(.privateQueue)
    middle.parent = child
    let deep = NSManagedObjectContext(.mainQueue)
    deep.parent = middle
    #expect(deep.parent === middle && child.parent === root && root.parent == nil)
    #expect(deep.persistentStoreCoordinator === root.persistentStoreCoordinator)
    let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: deep)
    book.setValue("deep", forKey: "title")
    for context in [deep, middle, child] { try context.save() }
    #expect(root.insertedObjects.count == 1)
    try root.save()
    #expect(try view.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) == 1)
    book.setValue("deeper", forKey: "title")
    for context in [deep, middle, child, root] { try context.save() }
    #expect(try stack.reread("Book").compactMap { $0.text("title") } == ["deeper"])
  }

  @Test("PC-3 new objects keep their temporary ID in child and parent until the root saves")
  func temporaryIDs() throws {
    let book = make("Book", "a")
    let id = book.objectID
    try child.save()
    #expect(book.objectID == id && id.isTemporaryID && !book.isInserted)
    let mine = try #require(root.insertedObjects.first)
    #expect(mine.objectID == id)
    try root.save()
    #expect(!mine.objectID.isTemporaryID)
    child.refresh(book, mergeChanges: true)
    #expect(book.objectID == mine.objectID && child.object(with: mine.objectID) === book)
    #expect(child.object(with: id) === book)
  }

  @Test("PC-3 permanent IDs can be had before the child's save, and after it")
  func permanentIDs() throws {
    let first = make("Book", "a")
    try child.obtainPermanentIDs(for: [first])
    #expect(!first.objectID.isTemporaryID && first.isInserted)
    let second = make("Book", "b")
    try child.save()
    try child.obtainPermanentIDs(for: [second])
    #expect(!second.objectID.isTemporaryID)
    #expect(Set(root.insertedObjects.map(\.objectID)) == [first.objectID, second.objectID])
    try root.save()
    #expect(Set(try stack.reread("Book").map(\.objectID)) == [first.objectID, second.objectID])
  }

  @Test("PC-4 fetches and faults of a child show the parent's unsaved state")
  func readsParent() throws {
    let kept = stack.make("Book", ["title": "kept", "pages": 1])
    let gone = stack.make("Book", ["title": "gone", "pages": 2])
    let author = stack.make("Author", ["name": "x", "books": Set([kept])])
    try root.save()
    kept.setValue(50, forKey: "pages")
    root.delete(gone)
    let new = stack.make("Book", ["title": "new", "pages": 60, "author": author])
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = NSPredicate(format: "pages > 40")
    request.sortDescriptors = [NSSortDescriptor(key: "pages", ascending: true)]
    let found = try child.fetch(request)
    #expect(found.map(\.objectID) == [kept.objectID, new.objectID])
    #expect(found.compactMap { $0.int("pages") } == [50, 60])
    #expect(try child.count(for: request) == 2)
    let copy = child.object(with: author.objectID)
    #expect(Set(copy.members("books").compactMap { $0.text("title") }) == ["kept", "new"])
    #expect(found[1].value(forKey: "author") as? NSManagedObject === copy)
    #expect(throws: NSError.self) { try child.existingObject(with: gone.objectID) }
    request.resultType = .managedObjectIDResultType
    #expect(try child.existingObject(with: new.objectID) === found[1])
  }

  @Test("PC-5 what the parent changes later is not pushed to the child, unless it merges by itself")
  func staleness() async throws {
    let book = stack.make("Book", ["title": "a"])
    try root.save()
    let copy = try child.existingObject(with: book.objectID)
    book.setValue("b", forKey: "title")
    try root.save()
    #expect(copy.text("title") == "a")
    child.refresh(copy, mergeChanges: true)
    #expect(copy.text("title") == "b")
    child.automaticallyMergesChangesFromParent = true
    book.setValue("c", forKey: "title")
    try root.save()
    // The merge was queued by the save.
    let title = await child.perform(schedule: .enqueued) { copy.text("title") }
    #expect(title == "c")
  }

  @Test("PC-1 what the child changes at objects that the parent has not realised is stored too")
  func faultsAbove() throws {
    let chapters = ["1", "2", "3"].map { stack.make("Chapter", ["name": $0]) }
    let book = stack.make("Book", ["title": "a", "chapters": NSOrderedSet(array: chapters)])
    let (tag, author) = (stack.make("Tag", ["name": "t"]), stack.make("Author", ["name": "x"]))
    try root.save()
    let ids = [book, tag, author].map(\.objectID)
    root.reset()
    let copies = ids.map { child.object(with: $0) }
    copies[0].mutableOrderedSetValue(forKey: "chapters").moveObjects(at: [2], to: 0)
    try child.save()
    try root.save()
    root.reset()
    copies[0].mutableSetValue(forKey: "tags").add(copies[1])
    copies[0].setValue(copies[2], forKey: "author")
    try child.save()
    try root.save()
    let stored = try #require(stack.reread("Book").first)
    #expect(stored.destinations("chapters").names == ["3", "1", "2"])
    #expect(stored.destinations("tags").names == ["t"])
    #expect(stored.destinations("author").names == ["x"])
  }

  @Test("PC-6 transient values go with a child's save, and come back to a child that reads anew")
  func transients() throws {
    let tag = stack.make("Tag", ["name": "t"])
    try root.save()
    let copy = child.object(with: tag.objectID)
    copy.setValue("remember", forKey: "note")
    let new = make("Tag", "new")
    new.setValue("too", forKey: "note")
    try child.save()
    #expect(tag.text("note") == "remember")
    #expect(root.insertedObjects.first?.text("note") == "too")
    let live = NSObject()
    copy.setValue(live, forKey: "live")
    try child.save()
    #expect(tag.value(forKey: "live") as? NSObject === live && tag.isUpdated)
    child.refresh(copy, mergeChanges: false)
    #expect(copy.text("note") == "remember" && copy.value(forKey: "live") as? NSObject === live)
    copy.setValue(nil, forKey: "live")
    try child.save()
    #expect(tag.value(forKey: "live") == nil)
  }

  @Test("PC-8 uniqueness is checked when the root saves; fetchBatchSize works in a child too")
  func uniqueness() throws {
    let stack = try LibraryStack(NSSQLiteStoreType, model: Registry.model())
    let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    child.parent = stack.context
    for size in 0..<2 {
      let city = NSEntityDescription.insertNewObject(forEntityName: "City", into: child)
      city.setValue("B", forKey: "code")
      city.setValue(size, forKey: "size")
    }
    try child.save()
    let error = #expect(throws: NSError.self) { try stack.context.save() }
    #expect(error?.code == NSManagedObjectConstraintMergeError)
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try stack.context.save()
    #expect(try stack.reread("City").compactMap { $0.int("size") } == [1])
    for number in 0..<10 { _ = stack.make("City", ["code": "\(number)"]) }
    try stack.context.save()
    stack.context.reset()
    let request = NSFetchRequest<NSManagedObject>(entityName: "City")
    request.fetchBatchSize = 4
    let cities = try child.fetch(request)
    let statements = try stack.statements { for city in cities { _ = city.text("code") } }
    #expect(cities.count == 11 && statements.count == 3)
  }

  @Test("PC-9 every level's save validates")
  func validation() throws {
    let book = stack.make("Book", ["title": "a"])
    let cover = stack.make("Cover", ["colour": "red", "book": book])
    try root.save()
    child.delete(child.object(with: cover.objectID))
    let error = #expect(throws: NSError.self) { try child.save() }
    #expect(error?.code == NSValidationRelationshipDeniedDeleteError)
    #expect(child.hasChanges && !root.hasChanges)
  }

  @Test("Notifications: a child's save is told by the child, and the parent tells of its changes")
  func notifications() throws {
    final class Log: @unchecked Sendable {
      // Unchecked: posted and read on one thread.
      var lines: [String] = []
    }
    let log = Log()
    var tokens: [any NSObjectProtocol] = []
    for (label, context) in [("child", child), ("root", root)] {
      for name in [
        NSManagedObjectContext.didChangeObjectsNotification,
        NSManagedObjectContext.didSaveObjectsNotification,
      ] {
        tokens.append(
          NotificationCenter.default.addObserver(forName: name, object: context, queue: nil) {
            let count = ($0.userInfo?[NSInsertedObjectsKey] as? Set<NSManagedObject>)?.count ?? 0
            let kind =
              name == NSManagedObjectContext.didSaveObjectsNotification ? "saved" : "changed"
            log.lines.append("\(label) \(kind) \(count)")
          }
        )
      }
    }
    _ = make("Book", "a")
    try child.save()
    try root.save()
    tokens.forEach(NotificationCenter.default.removeObserver)
    #expect(log.lines == ["child changed 1", "root changed 1", "child saved 1", "root saved 1"])
  }
}
