// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A save that fails while its conflicts are resolved: what the merge policy, and hooks that it set off,
/// have done to the graph is gone, each part of it.
///
/// Source: behaviour.md VAL-9.
@Suite struct FailedResolutionTests {
  private let stack: LibraryStack
  private let mine: NSManagedObjectContext
  private let book: NSManagedObject
  private let policy: Refusing

  /// A book that has changed here and elsewhere, and a policy that resolves, does something and refuses.
  init() throws {
    stack = try LibraryStack(NSSQLiteStoreType, model: Self.model())
    mine = stack.context
    book = stack.make("Book", ["title": "base", "pages": 1])
    try mine.save()
    policy = Refusing(merge: .rollbackMergePolicyType)
    mine.mergePolicy = policy
  }

  private static func model() -> NSManagedObjectModel {
    ManagedObjectClasses.register(HookedTag.self)
    let model = Library.model()
    model.entitiesByName["Tag"]?.managedObjectClassName = "HookedTag"
    let note = NSAttributeDescription()
    note.name = "note"
    note.attributeType = .transformableAttributeType
    note.isTransient = true
    model.entitiesByName["Book"]?.properties.append(note)
    model.entitiesByName["Author"]?.uniquenessConstraints = [["name"]]
    return model
  }

  private func changeElsewhere() throws {
    let other = stack.container.newBackgroundContext()
    other.object(with: book.objectID).setValue(2, forKey: "pages")
    try other.save()
  }

  private func fail() {
    #expect(throws: (any Error).self) { try mine.save() }
    #expect(policy.refusals > 0)
  }

  @Test func aDeletionThatHasNotReachedOthersYetStillDoes() throws {
    let author = stack.make("Author", ["name": "Ada"])
    let second = stack.make("Book", ["author": author])
    let tag = stack.make("Tag", ["name": "t"])
    try mine.save()
    try changeElsewhere()
    book.setValue(3, forKey: "pages")
    tag.setValue("u", forKey: "name")
    policy.refuses = false
    // Deleted while the save validates; the resolution propagates it, and validates again.
    var calls = 0
    HookedTag.setHook(of: tag) {
      calls += 1
      guard calls == 1 else { throw Refusing.Refusal() }
      mine.delete(second)
    }
    fail()
    #expect(calls == 2 && second.isDeleted && author.members("books") == [second])
    mine.processPendingChanges()
    #expect(author.members("books").isEmpty)
  }

  @Test func changesThatWereNotToldYetAreTold() throws {
    let (tag, changed) = (stack.make("Tag", ["name": "t"]), stack.make("Cover", ["colour": "c"]))
    try mine.save()
    try changeElsewhere()
    book.setValue(3, forKey: "pages")
    tag.setValue("u", forKey: "name")
    HookedTag.setHook(of: tag) { changed.setValue("red", forKey: "colour") }
    policy.action = { _ = try? $0.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book")) }
    fail()
    let told = Posts(mine, .NSManagedObjectContextObjectsDidChange)
    changed.setValue("blue", forKey: "colour")
    mine.processPendingChanges()
    let updated = told.infos.last?[NSUpdatedObjectsKey] as? Set<NSManagedObject>
    #expect(updated?.contains(changed) == true)
  }

  @Test func whatIsSetInTheEventIsForgotten() throws {
    try changeElsewhere()
    book.setValue(3, forKey: "pages")
    mine.processPendingChanges()
    #expect(book.changedValuesForCurrentEvent().isEmpty)
    policy.action = { _ in self.book.setValue("spoilt", forKey: "title") }
    fail()
    #expect(book.changedValuesForCurrentEvent().isEmpty && book.text("title") == "base")
  }

  @Test func objectsToCheckAreThoseOfBefore() throws {
    let author = stack.make("Author", ["name": "Ada"])
    try mine.save()
    try changeElsewhere()
    book.setValue(3, forKey: "pages")
    policy.action = { $0.detectConflicts(for: author) }
    fail()
    let other = stack.container.newBackgroundContext()
    other.object(with: author.objectID).setValue("Bea", forKey: "name")
    try other.save()
    mine.refresh(book, mergeChanges: true)
    mine.mergePolicy = NSMergePolicy.error
    #expect(throws: Never.self) { try mine.save() }
  }

  @Test func anObjectThatThePolicyInsertsIsGone() throws {
    try changeElsewhere()
    book.setValue(3, forKey: "pages")
    var made: NSManagedObject?
    policy.action = { made = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: $0) }
    fail()
    let tag = try #require(made)
    #expect(tag.managedObjectContext == nil && !tag.isInserted)
    #expect(!mine.registeredObjects.contains(tag) && mine.insertedObjects.isEmpty)
  }

  @Test func anObjectThatHasLeftIsBack() throws {
    _ = stack.make("Author", ["name": "Ada"])
    try mine.save()
    let new = stack.make("Author", ["name": "Ada"])
    let id = new.objectID
    // The new object becomes one with the row, and leaves with the event that the fetch ends.
    policy.action = { context in
      _ = try? context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      #expect(new.managedObjectContext == nil)
    }
    fail()
    #expect(new.managedObjectContext === mine && new.isInserted && mine.insertedObjects == [new])
    #expect(mine.registeredObject(for: id) === new && new.text("name") == "Ada")
  }

  @Test func valuesThatAreOnlyInMemoryAreBack() throws {
    let note = NSMutableArray(object: "live")
    book.setValue(note, forKey: "note")
    try changeElsewhere()
    mine.delete(book)
    // A deletion that is taken back takes the stored values, and drops the others.
    policy.action = { _ in
      #expect(!self.book.isDeleted && self.book.value(forKey: "note") == nil)
    }
    fail()
    #expect(book.isDeleted && book.value(forKey: "note") as? NSMutableArray === note)
  }

  @Test func primitiveValuesAreStillWrittenWithTheNextChange() throws {
    book.setPrimitiveValue("primitive", forKey: "title")
    book.setValue(3, forKey: "pages")
    try changeElsewhere()
    fail()
    #expect(book.text("title") == "primitive" && book.changedValues().keys.sorted() == ["pages"])
    // As if nobody had written the row: the save meets no conflict, and merges nothing.
    let url = try #require(stack.container.persistentStoreDescriptions.first?.url)
    try SQLFile(url: url).run("UPDATE ZBOOK SET ZPAGES = 1, Z_OPT = 1")
    mine.mergePolicy = NSMergePolicy.error
    try mine.save()
    #expect(try stack.reread("Book").map { $0.text("title") } == ["primitive"])
  }
}

/// Resolves all conflicts, does what a test wants, and refuses.
private final class Refusing: NSMergePolicy, @unchecked Sendable {
  // Unchecked: used by one thread.
  struct Refusal: Error {}
  var action: (NSManagedObjectContext) -> Void = { _ in }
  var refuses = true
  private(set) var refusals = 0

  override func resolve(mergeConflicts list: [Any]) throws {
    let context =
      (list.first as? NSMergeConflict)?.sourceObject.managedObjectContext
      ?? (list.first as? NSConstraintConflict)?.conflictingObjects.first?.managedObjectContext
    try super.resolve(mergeConflicts: list)
    refusals += 1
    if let context { action(context) }
    if refuses { throw Refusal() }
  }
}

/// Does what its context keeps for it when it is validated for an update.
private final class HookedTag: NSManagedObject {
  private final class Hook: NSObject {
    let body: () throws -> Void
    init(_ body: @escaping () throws -> Void) { self.body = body }
  }

  static func setHook(of tag: NSManagedObject, _ body: @escaping () throws -> Void) {
    tag.managedObjectContext?.userInfo["hook"] = Hook(body)
  }

  override func validateForUpdate() throws {
    try super.validateForUpdate()
    try (managedObjectContext?.userInfo["hook"] as? Hook)?.body()
  }
}
