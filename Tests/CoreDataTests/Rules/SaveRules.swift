// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// One stored book, seen by two contexts of one coordinator.
struct TwoContexts {
  let stack: LibraryStack
  let mine: NSManagedObjectContext
  let other: NSManagedObjectContext
  let book: NSManagedObject
  let copy: NSManagedObject

  /// Both have read the book: title “base”, pages 1, price 1.
  ///
  /// - Throws: what the store throws.
  init(_ type: String = NSSQLiteStoreType) throws {
    stack = try LibraryStack(type)
    mine = stack.context
    book = stack.make("Book", ["title": "base", "pages": 1, "price": 1.0])
    try mine.save()
    other = stack.container.newBackgroundContext()
    copy = try other.existingObject(with: book.objectID)
  }

  func stored() throws -> [String: Any]? {
    try stack.reread("Book").first.map {
      $0.dictionaryWithValues(["title", "pages", "price"])
    }
  }
}

extension NSManagedObject {
  func dictionaryWithValues(_ keys: [String]) -> [String: Any] {
    Dictionary(uniqueKeysWithValues: keys.map { ($0, value(forKey: $0) ?? NSNull()) })
  }

  func text(_ key: String) -> String? { value(forKey: key) as? String }
  func int(_ key: String) -> Int? { value(forKey: key) as? Int }
  func double(_ key: String) -> Double? { value(forKey: key) as? Double }
  func members(_ key: String) -> Set<NSManagedObject> {
    Set(LibraryEdits.destinations(self, key))
  }
}

@Suite("Rules of saves and conflicts (behaviour.md §7)")
struct SaveRules {
  static let policies: [(NSMergePolicy, title: String, pages: Int, price: Double)] = [
    (.mergeByPropertyStoreTrump, "theirs", 2, 9),
    (.mergeByPropertyObjectTrump, "mine", 2, 9),
    (.overwrite, "mine", 1, 9),
    (.rollback, "theirs", 2, 1),
  ]

  @Test("SAVE-1 a row that was deleted elsewhere is a conflict whose new version is 0")
  func deletedElsewhere() throws {
    let world = try TwoContexts()
    world.other.delete(world.copy)
    try world.other.save()
    world.book.setValue(3, forKey: "pages")
    let error = #expect(throws: NSError.self) { try world.mine.save() }
    let conflict = (error?.userInfo[NSPersistentStoreSaveConflictsErrorKey] as? [NSMergeConflict])?
      .first
    #expect(conflict?.sourceObject === world.book)
    #expect(conflict?.newVersionNumber == 0 && conflict?.oldVersionNumber == 1)
    #expect(conflict?.cachedSnapshot == nil && conflict?.persistedSnapshot == nil)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.hasPrefix("Deleted from the store since being read: x-coredata://"))
    #expect(!reason.contains("Changed"))
  }

  @Test("SAVE-2 the default policy throws 133020 with the conflict's three snapshots")
  func errorPolicy() throws {
    let world = try TwoContexts()
    world.copy.setValue("theirs", forKey: "title")
    try world.other.save()
    world.book.setValue("mine", forKey: "title")
    #expect((world.mine.mergePolicy as? NSMergePolicy)?.mergeType == .errorMergePolicyType)
    let error = #expect(throws: NSError.self) { try world.mine.save() }
    #expect(error?.domain == NSCocoaErrorDomain && error?.code == NSManagedObjectMergeError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.hasPrefix("Changed in the store since being read: x-coredata://"))
    #expect(!reason.contains("Deleted"))
    #expect(NSPersistentStoreSaveConflictsErrorKey == "conflictList")
    let conflicts = error?.userInfo["conflictList"] as? [NSMergeConflict]
    #expect(conflicts?.count == 1)
    #expect(conflicts?.first?.objectSnapshot?["title"] as? String == "base")
    #expect(conflicts?.first?.cachedSnapshot?["title"] as? String == "theirs")
    #expect(conflicts?.first?.persistedSnapshot == nil)
    #expect(conflicts?.first?.oldVersionNumber == 1 && conflicts?.first?.newVersionNumber == 2)
    #expect(world.book.text("title") == "mine" && world.book.isUpdated)
    #expect(try world.stored()?["title"] as? String == "theirs")
  }

  @Test(
    "SAVE-3 each policy decides property by property, or for the whole object",
    arguments: 0..<4
  )
  func policies(_ index: Int) throws {
    let expected = Self.policies[index]
    for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
      let world = try TwoContexts(type)
      // Both change the title; only they the pages; only I the price.
      world.copy.setValue("theirs", forKey: "title")
      world.copy.setValue(2, forKey: "pages")
      try world.other.save()
      world.book.setValue("mine", forKey: "title")
      world.book.setValue(9.0, forKey: "price")
      world.mine.mergePolicy = expected.0
      try world.mine.save()
      #expect(!world.mine.hasChanges)
      for object in [world.book, try #require(world.stack.reread("Book").first)] {
        #expect(object.text("title") == expected.title)
        #expect(object.int("pages") == expected.pages)
        #expect(object.double("price") == expected.price)
      }
      // The merged object's version is the stored one: the next save meets no conflict.
      world.book.setValue("again", forKey: "title")
      world.mine.mergePolicy = NSErrorMergePolicy
      try world.mine.save()
      #expect(try world.stored()?["title"] as? String == "again")
    }
  }

  @Test("SAVE-4 snapshots hold attributes and to-one IDs, not to-manys")
  func snapshots() throws {
    let world = try TwoContexts()
    world.copy.setValue(2, forKey: "pages")
    try world.other.save()
    world.book.setValue(3, forKey: "pages")
    let error = #expect(throws: NSError.self) { try world.mine.save() }
    let conflict = (error?.userInfo["conflictList"] as? [NSMergeConflict])?.first
    #expect(
      conflict?.cachedSnapshot?.keys.sorted()
        == ["author", "cover", "isLent", "isbn", "pages", "price", "published", "title"]
    )
  }

  @Test(
    "SAVE-4 additions to and removals from a to-many on both sides are all kept",
    arguments: [NSMergePolicy.mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump]
  )
  func toManys(_ policy: NSMergePolicy) throws {
    let stack = try LibraryStack()
    let tags = ["a", "b", "c", "d"].map { stack.make("Tag", ["name": $0]) }
    let book = stack.make("Book", ["title": "base", "tags": Set(tags[0...1])])
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    let copy = try other.existingObject(with: book.objectID)
    let theirs = tags.map { other.object(with: $0.objectID) }
    copy.setValue(Set([theirs[1], theirs[2]]), forKey: "tags")
    try other.save()
    book.setValue(Set([tags[0], tags[1], tags[3]]), forKey: "tags")
    stack.context.mergePolicy = policy
    try stack.context.save()
    #expect(book.members("tags") == Set(tags[1...3]))
    for tag in tags { #expect(tag.members("books").contains(book) == (tag !== tags[0])) }
    let fresh = LibraryEdits(context: stack.container.newBackgroundContext())
    #expect(try fresh.disagreements() == [])
    let stored = try #require(fresh.all("Book").first)
    #expect(Set(stored.members("tags").compactMap { $0.text("name") }) == ["b", "c", "d"])
  }

  @Test("SAVE-4 a merged to-one leaves no member behind at the teams it left")
  func toOne() throws {
    let stack = try LibraryStack()
    let authors = ["a", "b", "c"].map { stack.make("Author", ["name": $0]) }
    let book = stack.make("Book", ["title": "base", "author": authors[0]])
    try stack.context.save()
    for author in authors { _ = author.members("books") }
    let other = stack.container.newBackgroundContext()
    other.object(with: book.objectID)
      .setValue(other.object(with: authors[1].objectID), forKey: "author")
    try other.save()
    book.setValue(authors[2], forKey: "author")
    stack.context.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try stack.context.save()
    #expect(book.value(forKey: "author") as? NSManagedObject === authors[1])
    #expect(authors.map { $0.members("books").contains(book) } == [false, true, false])
    let fresh = LibraryEdits(context: stack.container.newBackgroundContext())
    #expect(try fresh.disagreements() == [])
  }

  @Test(
    "SAVE-5 changed here, deleted elsewhere: the object is inserted again, or goes too",
    arguments: 0..<4
  )
  func updatedHere(_ index: Int) throws {
    let world = try TwoContexts()
    world.other.delete(world.copy)
    try world.other.save()
    world.book.setValue(3, forKey: "pages")
    let id = world.book.objectID
    world.mine.mergePolicy = Self.policies[index].0
    try world.mine.save()
    let stored = try world.stack.reread("Book")
    if index == 1 || index == 2 {
      #expect(stored.map(\.objectID) == [id])
      #expect(stored.first?.int("pages") == 3 && stored.first?.text("title") == "base")
      #expect(world.book.managedObjectContext === world.mine && !world.book.hasChanges)
    } else {
      #expect(stored.isEmpty && world.book.managedObjectContext == nil)
    }
  }

  @Test(
    "SAVE-5 deleted here, changed elsewhere: the row goes, or the object is back",
    arguments: 0..<4
  )
  func deletedHere(_ index: Int) throws {
    let world = try TwoContexts()
    world.copy.setValue("theirs", forKey: "title")
    try world.other.save()
    world.mine.delete(world.book)
    world.mine.mergePolicy = NSErrorMergePolicy
    let error = #expect(throws: NSError.self) { try world.mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect(world.book.isDeleted)
    world.mine.mergePolicy = Self.policies[index].0
    try world.mine.save()
    let stored = try world.stack.reread("Book")
    if index == 1 || index == 2 {
      #expect(stored.isEmpty && world.book.managedObjectContext == nil)
    } else {
      #expect(stored.count == 1 && !world.book.isDeleted)
      #expect(world.book.text("title") == "theirs")
    }
  }

  @Test("SAVE-10 a custom policy sees both kinds of conflict and may resolve them itself")
  func customPolicy() throws {
    let world = try TwoContexts()
    world.copy.setValue(5, forKey: "pages")
    try world.other.save()
    world.book.setValue(3, forKey: "pages")
    let policy = SummingPolicy(merge: .mergeByPropertyObjectTrumpMergePolicyType)
    world.mine.mergePolicy = policy
    try world.mine.save()
    #expect(policy.seen == 1)
    #expect(world.book.int("pages") == 8)
    #expect(try world.stored()?["pages"] as? Int == 8)
  }

  @Test("SAVE-10 a custom policy that resolves nothing does not save, and does not go on for ever")
  func idlePolicy() throws {
    let world = try TwoContexts()
    world.copy.setValue(5, forKey: "pages")
    try world.other.save()
    world.book.setValue(3, forKey: "pages")
    world.mine.mergePolicy = IdlePolicy(merge: .errorMergePolicyType)
    let error = #expect(throws: NSError.self) { try world.mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("still conflicts after 32 calls of the merge policy"))
    #expect(world.book.int("pages") == 3 && world.book.isUpdated)
  }

  @Test("A policy that is none is the error policy, and policies have Apple's raw values")
  func rawValues() throws {
    #expect(
      [
        NSMergePolicy.error, .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite,
        .rollback,
      ].map(\.mergeType.rawValue) == [0, 1, 2, 3, 4]
    )
    let constant = NSOverwriteMergePolicy as? NSMergePolicy
    #expect(constant?.mergeType == .overwriteMergePolicyType)
    let world = try TwoContexts()
    world.copy.setValue(5, forKey: "pages")
    try world.other.save()
    world.book.setValue(3, forKey: "pages")
    world.mine.mergePolicy = "no policy"
    let error = #expect(throws: NSError.self) { try world.mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
  }

  @Test("CTX-9 an unchanged object is checked once it is asked for")
  func detectConflicts() throws {
    let world = try TwoContexts()
    world.copy.setValue(5, forKey: "pages")
    try world.other.save()
    let tag = world.stack.make("Tag", ["name": "x"])
    world.mine.detectConflicts(for: world.book)
    let error = #expect(throws: NSError.self) { try world.mine.save() }
    #expect(error?.code == NSManagedObjectMergeError)
    #expect(tag.isInserted)
    world.mine.mergePolicy = NSMergePolicy.mergeByPropertyStoreTrump
    try world.mine.save()
    #expect(!tag.isInserted && world.book.int("pages") == 5)
    // Asked for once: the next save does not check again.
    world.copy.setValue(6, forKey: "pages")
    try world.other.save()
    tag.setValue("y", forKey: "name")
    world.mine.mergePolicy = NSErrorMergePolicy
    try world.mine.save()
  }

  @Test("A merged object that breaks a rule fails the save, which leaves everything as it was")
  func mergedAndInvalid() throws {
    let model = Library.model()
    model.entitiesByName["Book"]?.attributesByName["pages"]?
      .setValidationPredicates([NSPredicate(format: "SELF < 100")], withValidationWarnings: ["big"])
    let stack = try LibraryStack(NSSQLiteStoreType, model: model)
    let book = stack.make("Book", ["title": "base", "pages": 1])
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    let copy = other.object(with: book.objectID)
    copy.setValue("theirs", forKey: "title")
    try other.save()
    book.setValue("mine", forKey: "title")
    let author = stack.make("Author", ["name": "new", "books": Set([book])])
    stack.context.mergePolicy = SpoilingPolicy(merge: .mergeByPropertyStoreTrumpMergePolicyType)
    #expect(throws: NSError.self) { try stack.context.save() }
    #expect(book.text("title") == "mine" && book.int("pages") == 1 && book.isUpdated)
    #expect(book.value(forKey: "author") as? NSManagedObject === author && author.isInserted)
    #expect(try stack.reread("Author").isEmpty)
  }

  @Test(
    "A one-to-one that moved elsewhere stays a pair, whichever policy decides",
    arguments: MergeLawTests.policies
  )
  func movedPartner(_ policy: NSMergePolicy) throws {
    for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
      let stack = try LibraryStack(type)
      let cover = stack.make("Cover", ["colour": "red"])
      let books = (0..<2).map { stack.make("Book", ["title": "\($0)"]) }
      let later = stack.make("Cover", ["colour": "blue"])
      cover.setValue(books[0], forKey: "book")
      try stack.context.save()
      let other = stack.container.newBackgroundContext()
      // The cover moves to the other book there, and its own book gets another cover.
      other.object(with: cover.objectID)
        .setValue(other.object(with: books[1].objectID), forKey: "book")
      other.object(with: later.objectID)
        .setValue(other.object(with: books[0].objectID), forKey: "book")
      try other.save()
      stack.context.mergePolicy = policy
      cover.setValue("green", forKey: "colour")
      try stack.context.save()
      let fresh = LibraryEdits(context: stack.container.newBackgroundContext())
      #expect(try fresh.disagreements().isEmpty)
      let title = try fresh.context.existingObject(with: cover.objectID).value(
        forKeyPath: "book.title"
      )
      // Overwriting, the cover keeps the book that it has here, and the other cover loses it.
      let isWhole = policy.mergeType == .overwriteMergePolicyType
      #expect(title as? String == (isWhole ? "0" : "1"))
    }
  }

  @Test("Conflicts of one-to-ones are resolved with a number of statements that does not grow")
  func boundedPartners() throws {
    func statements(_ count: Int, _ policy: NSMergePolicy) throws -> Int {
      let stack = try LibraryStack()
      let covers = (0..<count).map { stack.make("Cover", ["colour": "\($0)"]) }
      let books = (0..<2 * count).map { stack.make("Book", ["title": "\($0)"]) }
      for (cover, book) in zip(covers, books) { cover.setValue(book, forKey: "book") }
      try stack.context.save()
      let other = stack.container.newBackgroundContext()
      for (cover, book) in zip(covers, books[count...]) {
        other.object(with: cover.objectID)
          .setValue(other.object(with: book.objectID), forKey: "book")
      }
      try other.save()
      stack.context.mergePolicy = policy
      for cover in covers { cover.setValue("mine", forKey: "colour") }
      let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
      let before = store.statements.counts.started
      try stack.context.save()
      let started = store.statements.counts.started - before
      let fresh = LibraryEdits(context: stack.container.newBackgroundContext())
      #expect(try fresh.disagreements().isEmpty)
      return started
    }
    for policy in MergeLawTests.policies {
      #expect(try statements(3, policy) == statements(30, policy), "\(policy.mergeType)")
    }
  }
}

/// Adds the two sides' pages up.
private final class SummingPolicy: NSMergePolicy, @unchecked Sendable {
  var seen = 0
  override func resolve(mergeConflicts list: [Any]) throws {
    let conflicts = list.compactMap { $0 as? NSMergeConflict }
    seen += conflicts.count
    let sums = conflicts.map { conflict in
      (conflict.sourceObject.int("pages") ?? 0) + (conflict.cachedSnapshot?["pages"] as? Int ?? 0)
    }
    try super.resolve(mergeConflicts: list)
    for (conflict, sum) in zip(conflicts, sums) {
      conflict.sourceObject.setValue(sum, forKey: "pages")
    }
  }
}

private final class IdlePolicy: NSMergePolicy, @unchecked Sendable {
  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {}
}

/// Resolves, and then sets a value that is not valid.
private final class SpoilingPolicy: NSMergePolicy, @unchecked Sendable {
  override func resolve(optimisticLockingConflicts list: [NSMergeConflict]) throws {
    try super.resolve(optimisticLockingConflicts: list)
    for conflict in list { conflict.sourceObject.setValue(1000, forKey: "pages") }
  }
}
