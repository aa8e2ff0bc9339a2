// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Remembers which hooks ran.
final class WatchedBook: NSManagedObject {
  var events: [String] = []
  override func awakeFromInsert() {
    super.awakeFromInsert()
    setPrimitiveValue(1, forKey: "pages")
    events.append("insert")
  }
  override func awake(fromSnapshotEvents flags: NSSnapshotEventType) {
    super.awake(fromSnapshotEvents: flags)
    events.append("\(flags.rawValue)")
  }
}

@Suite("Rules of undoing (behaviour.md §10, MO-2, MO-4)")
struct UndoRules {
  private let stack: LibraryStack
  private let context: NSManagedObjectContext
  private let manager = UndoManager()

  init() throws {
    let model = Library.model()
    model.entitiesByName["Book"]?.managedObjectClassName = "CoreDataTests.WatchedBook"
    stack = try LibraryStack(NSSQLiteStoreType, model: model)
    context = stack.context
    context.undoManager = manager
  }

  private func book(_ title: String) -> WatchedBook {
    let book = WatchedBook(context: context)
    book.setValue(title, forKey: "title")
    return book
  }

  @Test("UN-1 a context has no undo manager until one is set; undo and redo go to it")
  func noManager() throws {
    let plain = stack.container.newBackgroundContext()
    #expect(plain.undoManager == nil && stack.container.viewContext.undoManager == nil)
    plain.undo()
    plain.redo()
    #expect(context.undoManager === manager)
    let book = book("a")
    context.processPendingChanges()
    book.setValue("b", forKey: "title")
    context.processPendingChanges()
    context.undo()
    #expect(book.text("title") == "a")
    context.redo()
    #expect(book.text("title") == "b")
    context.undoManager = nil
    book.setValue("c", forKey: "title")
    context.processPendingChanges()
    #expect(context.undoManager == nil)
  }

  @Test("UN-2 one event is one group; explicit groups take several")
  func grouping() throws {
    let book = book("a")
    book.setValue(5, forKey: "pages")
    context.processPendingChanges()
    for pages in 6...8 { book.setValue(pages, forKey: "pages") }
    context.processPendingChanges()
    context.undo()
    #expect(book.int("pages") == 5)
    context.redo()
    #expect(book.int("pages") == 8)
    manager.beginUndoGrouping()
    for pages in 9...11 {
      book.setValue(pages, forKey: "pages")
      context.processPendingChanges()
    }
    manager.endUndoGrouping()
    context.undo()
    #expect(book.int("pages") == 8)
  }

  @Test("UN-2 changes made while registration is disabled cannot be undone")
  func bookkeeping() throws {
    let book = book("a")
    context.processPendingChanges()
    manager.disableUndoRegistration()
    book.setValue(100, forKey: "pages")
    context.processPendingChanges()
    manager.enableUndoRegistration()
    book.setValue("b", forKey: "title")
    context.processPendingChanges()
    context.undo()
    #expect(book.text("title") == "a" && book.int("pages") == 100)
  }

  @Test("UN-2 undo takes changes with it that were not processed yet")
  func pending() throws {
    let book = book("a")
    context.processPendingChanges()
    book.setValue("b", forKey: "title")
    context.undo()
    #expect(book.text("title") == "a")
    #expect(manager.canRedo)
  }

  @Test(
    "UN-3 undoing an insertion removes the object, a deletion brings it back, a change is reversed"
  )
  func kinds() throws {
    let author = stack.make("Author", ["name": "Ende"])
    try context.save()
    let book = book("a")
    book.setValue(author, forKey: "author")
    context.processPendingChanges()
    context.undo()
    #expect(book.managedObjectContext == nil && author.members("books").isEmpty)
    #expect(context.insertedObjects.isEmpty)
    context.redo()
    #expect(book.managedObjectContext === context && book.isInserted)
    #expect(author.members("books") == [book])
    #expect(book.value(forKey: "author") as? NSManagedObject === author)
    try context.save()
    context.delete(author)
    context.processPendingChanges()
    #expect(author.isDeleted && book.isDeleted)
    context.undo()
    #expect(!author.isDeleted && !book.isDeleted && author.members("books") == [book])
    #expect(!context.hasChanges || context.deletedObjects.isEmpty)
    context.redo()
    #expect(author.isDeleted && book.isDeleted)
    try context.save()
    #expect(try stack.reread("Book").isEmpty)
  }

  @Test("UN-3 hooks are called with the event that gave the object other values")
  func hooks() throws {
    let book = book("a")
    context.processPendingChanges()
    book.setValue("b", forKey: "title")
    context.processPendingChanges()
    try context.save()
    book.events = []
    context.undo()
    #expect(book.events == ["8"])
    context.delete(book)
    context.processPendingChanges()
    context.undo()
    #expect(book.events == ["8", "4"])
    context.rollback()
    #expect(book.events == ["8", "4", "16"] && book.text("title") == "b")
  }

  @Test("UN-4 a rollback and a reset clear the stack, a save does not")
  func clearing() throws {
    let book = book("a")
    context.processPendingChanges()
    book.setValue("b", forKey: "title")
    try context.save()
    #expect(manager.canUndo)
    context.undo()
    #expect(book.text("title") == "a" && context.hasChanges && book.isUpdated)
    try context.save()
    #expect(try stack.reread("Book").first?.text("title") == "a")
    context.rollback()
    #expect(!manager.canUndo && !manager.canRedo)
    book.setValue("c", forKey: "title")
    context.processPendingChanges()
    #expect(manager.canUndo)
    context.reset()
    #expect(!manager.canUndo)
  }

  @Test("UN-4 an insertion and a deletion are undone after their saves too, under the same ID")
  func acrossSaves() throws {
    let book = book("a")
    let tag = stack.make("Tag", ["name": "t", "books": Set([book])])
    try context.save()
    let id = book.objectID
    context.undo()
    #expect(book.isDeleted && tag.isDeleted)
    try context.save()
    #expect(try stack.reread("Book").isEmpty && book.managedObjectContext == nil)
    context.redo()
    #expect(book.isInserted && book.objectID == id && book.text("title") == "a")
    try context.save()
    let stored = try #require(stack.reread("Book").first)
    #expect(stored.objectID == id)
    #expect(stored.members("tags").compactMap { $0.text("name") } == ["t"])
    context.delete(book)
    try context.save()
    context.undo()
    try context.save()
    #expect(try stack.reread("Book").map(\.objectID) == [id])
    #expect(tag.members("books") == [book])
  }

  @Test(
    "UN-2 where the manager does not group by event, a change outside of a group is one of its own"
  )
  func ungrouped() throws {
    manager.groupsByEvent = false
    let book = book("a")
    context.processPendingChanges()
    book.setValue("b", forKey: "title")
    try context.save()
    #expect(manager.groupingLevel == 0)
    context.undo()
    #expect(book.text("title") == "a")
    context.undo()
    #expect(book.isDeleted || book.managedObjectContext == nil)
    manager.beginUndoGrouping()
    self.book("c").setValue(3, forKey: "pages")
    context.processPendingChanges()
    _ = self.book("d")
    context.processPendingChanges()
    manager.endUndoGrouping()
    context.undo()
    #expect(context.insertedObjects.isEmpty)
  }

  @Test("UN-5 the module has an UndoManager of its own")
  func present() {
    let fresh: UndoManager = UndoManager()
    #expect(!fresh.canUndo && fresh.groupsByEvent && fresh.levelsOfUndo == 0)
  }

  @Test("MO-2 redoing an insertion calls awake(fromSnapshotEvents:), not awakeFromInsert")
  func awakening() throws {
    let book = book("a")
    context.processPendingChanges()
    #expect(book.events == ["insert"])
    context.undo()
    context.redo()
    #expect(book.events == ["insert", "2", "4"])
  }

  @Test("MO-4 primitive values set in awakeFromInsert are no change of their own")
  func baseline() throws {
    let book = book("a")
    context.processPendingChanges()
    #expect(book.int("pages") == 1)
    book.setValue("b", forKey: "title")
    context.processPendingChanges()
    context.undo()
    #expect(book.int("pages") == 1 && book.text("title") == "a")
    context.undo()
    context.redo()
    #expect(book.int("pages") == 1 && book.text("title") == "a")
  }

  @Test("What others have saved is not undone by a merge")
  func merging() throws {
    let book = book("a")
    try context.save()
    manager.removeAllActions()
    let other = stack.container.newBackgroundContext()
    other.object(with: book.objectID).setValue("theirs", forKey: "title")
    try other.save()
    book.setValue(9, forKey: "pages")
    context.mergePolicy = NSMergePolicy.mergeByPropertyObjectTrump
    try context.save()
    #expect(book.text("title") == "theirs")
    context.undo()
    #expect(book.text("title") == "theirs" && book.int("pages") == 1)
  }

  @Test("UN-3 a member that was one already stays one when its adding is undone")
  func knownMember() throws {
    let (book, other) = (book("a"), book("b"))
    let tags = ["x", "y"].map { stack.make("Tag", ["name": $0, "books": Set([book])]) }
    let author = stack.make("Author", ["name": "Ende", "books": Set([book])])
    try context.save()
    for object in tags + [book, author, other] { context.refresh(object, mergeChanges: false) }
    book.mutableSetValue(forKey: "tags").add(tags[0])
    author.mutableSetValue(forKey: "books").add(book)
    tags[1].mutableSetValue(forKey: "books").remove(other)
    tags[0].mutableSetValue(forKey: "books").add(other)
    context.processPendingChanges()
    context.undo()
    #expect(book.members("tags") == Set(tags) && author.members("books") == [book])
    #expect(other.members("tags").isEmpty)
    try context.save()
    let stored = try stack.reread("Tag")
    #expect(stored.allSatisfy { $0.members("books").compactMap { $0.text("title") } == ["a"] })
  }

  @Test("UN-3 an insertion that denies its deletion is undone all the same, and redone")
  func deniedInsertion() throws {
    let book = book("a")
    try context.save()
    let cover = stack.make("Cover", ["colour": "red", "book": book])
    try context.save()
    context.undo()
    #expect(cover.isDeleted && book.value(forKey: "cover") == nil)
    try context.save()
    #expect(try stack.reread("Cover").isEmpty)
    context.redo()
    #expect(book.value(forKey: "cover") as? NSManagedObject === cover)
    try context.save()
    #expect(try stack.reread("Cover").first?.value(forKey: "book") != nil)
  }

  @Test("UN-4 a deleted object has all its members back after its deletion was saved")
  func deletedMembers() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let node = try web.node("a")
    node.mutableSetValue(forKey: "likes").addObjects(from: [web.thing("1"), web.thing("2")])
    node.items = NSOrderedSet(array: [web.thing("3"), web.thing("4")])
    try web.save()
    let copy = try web.reread("a", in: web.stack.container.newBackgroundContext())
    let context = try #require(copy.managedObjectContext)
    context.undoManager = UndoManager()
    context.delete(copy)
    try context.save()
    context.undo()
    try context.save()
    let stored = try web.reread("a")
    #expect(stored.destinations("likes").names.sorted() == ["1", "2"])
    #expect(stored.destinations("items").names == ["3", "4"])
  }

  @Test("UN-4 a deleted object is again in a to-many that was read before the deletion was saved")
  func membersReadAfterDeletion() throws {
    let web = try WebStack(NSSQLiteStoreType)
    let group = NSEntityDescription.insertNewObject(forEntityName: "Group", into: web.context)
    let nodes = try ["a", "b", "c"].map { try web.node($0) }
    group.setValue(NSOrderedSet(array: nodes), forKey: "members")
    try web.save()
    let context = web.stack.container.newBackgroundContext()
    context.undoManager = UndoManager()
    context.delete(try web.reread("a", in: context))
    context.processPendingChanges()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Group")
    let copy = try #require(context.fetch(request).first)
    #expect(copy.destinations("members").names == ["b", "c"])
    try context.save()
    context.undo()
    #expect(copy.destinations("members").names == ["a", "b", "c"])
    try context.save()
    let other = web.stack.container.newBackgroundContext()
    let stored = try #require(other.fetch(request).first)
    #expect(stored.destinations("members").names == ["a", "b", "c"])
  }

  @Test("MO-20 changes of transient values are undone and redone")
  func transients() throws {
    let web = try WebStack()
    let node = try web.node("a")
    let (first, second) = (NSObject(), NSObject())
    node.setValue(first, forKey: "live")
    try web.save()
    web.context.undoManager = UndoManager()
    node.cache = "x"
    node.setValue(second, forKey: "live")
    web.context.processPendingChanges()
    web.context.undo()
    #expect(node.cache == nil && node.value(forKey: "live") as? NSObject === first)
    web.context.redo()
    #expect(node.cache == "x" && node.value(forKey: "live") as? NSObject === second)
  }
}
