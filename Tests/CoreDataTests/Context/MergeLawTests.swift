// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Two contexts edit one library at random and save one after the other.
@Suite struct MergeLawTests {
  static let policies: [NSMergePolicy] = [
    .mergeByPropertyStoreTrump, .mergeByPropertyObjectTrump, .overwrite, .rollback,
  ]

  /// What each policy says about one attribute, written down once more.
  private static func merged(_ policy: NSMergePolicy, mine: Int, stored: Int, base: Int) -> Int {
    switch policy.mergeType {
    case .overwriteMergePolicyType: return mine
    case .rollbackMergePolicyType: return stored
    case .mergeByPropertyStoreTrumpMergePolicyType: return stored == base ? mine : stored
    default: return mine == base ? stored : mine
    }
  }

  @Test("Values after a conflict are those of the plain model", arguments: policies)
  func values(_ policy: NSMergePolicy) throws {
    var random = RandomSteps(state: 7)
    for type in [NSSQLiteStoreType, NSInMemoryStoreType] {
      let stack = try LibraryStack(type)
      let books = (0..<30).map { stack.make("Book", ["title": "\($0)", "pages": 0, "price": 0.0]) }
      try stack.context.save()
      let other = stack.container.newBackgroundContext()
      stack.context.mergePolicy = policy
      for _ in 0..<8 {
        stack.context.refreshAllObjects()
        other.refreshAllObjects()
        let base = books.map { ($0.int("pages") ?? 0, Int($0.double("price") ?? 0)) }
        var mine = base
        var stored = base
        for (index, book) in books.enumerated() {
          let copy = other.object(with: book.objectID)
          if random.below(2) == 0 {
            stored[index].0 = random.below(3)
            copy.setValue(stored[index].0, forKey: "pages")
          }
          if random.below(2) == 0 {
            stored[index].1 = random.below(3)
            copy.setValue(Double(stored[index].1), forKey: "price")
          }
          if random.below(2) == 0 {
            mine[index].0 = random.below(3)
            book.setValue(mine[index].0, forKey: "pages")
          }
          if random.below(2) == 0 {
            mine[index].1 = random.below(3)
            book.setValue(Double(mine[index].1), forKey: "price")
          }
        }
        try other.save()
        // Only a row that both have written is a conflict.
        try stack.context.save()
        let fresh = stack.container.newBackgroundContext()
        for (index, book) in books.enumerated() {
          let read = try fresh.existingObject(with: book.objectID)
          let wroteHere = mine[index] != base[index]
          let wroteThere = stored[index] != base[index]
          let pages: Int
          let price: Int
          if wroteHere && wroteThere {
            pages = Self.merged(
              policy,
              mine: mine[index].0,
              stored: stored[index].0,
              base: base[index].0
            )
            price = Self.merged(
              policy,
              mine: mine[index].1,
              stored: stored[index].1,
              base: base[index].1
            )
          } else {
            (pages, price) = wroteHere ? mine[index] : stored[index]
          }
          #expect(read.int("pages") == pages && Int(read.double("price") ?? -1) == price)
          if wroteHere && wroteThere { #expect(book.int("pages") == pages) }
        }
      }
    }
  }

  /// A book's author, by number, and which of its three tags it has, as bits.
  private struct Links: Equatable {
    var author = -1
    var tags = 0

    /// What each policy says about the links of a book that both contexts have changed.
    static func merged(_ policy: NSMergePolicy, mine: Self, stored: Self, base: Self) -> Self {
      let tags =
        switch policy.mergeType {
        // Members that are unchanged here are nothing that a save would write.
        case .overwriteMergePolicyType: mine.tags == base.tags ? stored.tags : mine.tags
        case .rollbackMergePolicyType: stored.tags
        default: base.tags ^ ((mine.tags ^ base.tags) | (stored.tags ^ base.tags))
        }
      let author = MergeLawTests.merged(
        policy,
        mine: mine.author,
        stored: stored.author,
        base: base.author
      )
      return Links(author: author, tags: tags)
    }
  }

  @Test("Links after a conflict are those of the plain model", arguments: policies, lawSeeds(4))
  func links(_ policy: NSMergePolicy, _ seed: UInt64) throws {
    var random = RandomSteps(state: seed)
    let stack = try LibraryStack(seed % 2 == 0 ? NSSQLiteStoreType : NSInMemoryStoreType)
    let authors = (0..<4).map { stack.make("Author", ["name": "\($0)"]) }
    let books = (0..<20).map { stack.make("Book", ["title": "\($0)"]) }
    let tags = books.indices.map { book in
      (0..<3).map { stack.make("Tag", ["name": "\(book).\($0)"]) }
    }
    try stack.context.save()
    let other = stack.container.newBackgroundContext()
    stack.context.mergePolicy = policy

    func change(_ links: inout Links, of book: Int, in context: NSManagedObjectContext) {
      let object = context.object(with: books[book].objectID)
      // Whoever has not read row and members knows only what it adds and removes.
      #expect(object.value(forKey: "title") as? String == "\(book)")
      let members = object.mutableSetValue(forKey: "tags")
      #expect(members.count == links.tags.nonzeroBitCount)
      if random.below(2) == 0 {
        links.author = random.below(authors.count + 1) - 1
        let author = links.author < 0 ? nil : authors[links.author].objectID
        object.setValue(author.map(context.object), forKey: "author")
      }
      if random.below(2) == 0 {
        let tag = random.below(3)
        links.tags ^= 1 << tag
        let member = context.object(with: tags[book][tag].objectID)
        if links.tags & 1 << tag == 0 { members.remove(member) } else { members.add(member) }
      }
    }

    var links = Array(repeating: Links(), count: books.count)
    for round in 0..<10 {
      stack.context.refreshAllObjects()
      other.refreshAllObjects()
      let base = links
      var stored = base
      var mine = base
      for book in books.indices {
        change(&stored[book], of: book, in: other)
        change(&mine[book], of: book, in: stack.context)
      }
      try other.save()
      try stack.context.save()
      try stack.requireLiveLinks("\(policy.mergeType) round \(round)")
      let fresh = stack.container.newBackgroundContext()
      for book in books.indices {
        let isConflict = mine[book] != base[book] && stored[book] != base[book]
        links[book] =
          if isConflict {
            Links.merged(policy, mine: mine[book], stored: stored[book], base: base[book])
          } else {
            mine[book] != base[book] ? mine[book] : stored[book]
          }
        let read = try fresh.existingObject(with: books[book].objectID)
        for object in isConflict ? [read, books[book]] : [read] {
          let author = object.value(forKey: "author") as? NSManagedObject
          let owned = object.mutableSetValue(forKey: "tags")
          let owner = (author?.value(forKey: "name") as? String).flatMap(Int.init)
          var found = Links(author: owner ?? -1)
          for case let tag as NSManagedObject in owned.allObjects {
            found.tags |= tags[book].firstIndex { $0.objectID == tag.objectID }.map { 1 << $0 } ?? 8
          }
          #expect(
            found == links[book],
            "\(object === read ? "stored" : "here") \(policy.mergeType) round \(round): base \(base[book]), here \(mine[book]), there \(stored[book])"
          )
          if found != links[book] { return }
        }
      }
    }
  }

  @Test(
    "After any conflict the save ends, both sides of relationships agree and nothing dangles",
    arguments: policies,
    lawSeeds(6)
  )
  func graphs(_ policy: NSMergePolicy, _ seed: UInt64) throws {
    var random = RandomSteps(state: seed)
    let stack = try LibraryStack(seed % 2 == 0 ? NSSQLiteStoreType : NSInMemoryStoreType)
    let start = LibraryEdits(context: stack.context)
    for _ in 0..<60 { try start.edit(&random, deleting: false) }
    try stack.context.save()
    for round in 0..<12 {
      let other = stack.container.newBackgroundContext()
      let mine = stack.container.newBackgroundContext()
      mine.mergePolicy = policy
      let held = try (LibraryEdits(context: mine).picture(), LibraryEdits(context: other).picture())
      #expect(held.0 == held.1)
      let keptHere = try LibraryEdits.entities.flatMap(LibraryEdits(context: mine).all)
      let keptThere = try LibraryEdits.entities.flatMap(LibraryEdits(context: other).all)
      let theirs = Posts(other, .NSManagedObjectContextDidSave)
      let ours = Posts(mine, .NSManagedObjectContextDidSave)
      for _ in 0..<random.below(8) + 1 {
        try LibraryEdits(context: other).edit(&random, prefix: "t")
        try LibraryEdits(context: mine).edit(&random, prefix: "m")
      }
      do { try other.save() } catch { other.rollback() }
      try stack.requireLiveLinks("saved there, round \(round)", in: [other])
      do {
        try mine.save()
      } catch let error as NSError {
        // A cover may deny what a merged deletion asks for; nothing else fails.
        #expect(
          error.code == NSValidationRelationshipDeniedDeleteError
            || error.code == NSValidationMultipleErrorsError,
          "round \(round): \(error)"
        )
        continue
      }
      #expect(!mine.hasChanges)
      let fresh = LibraryEdits(context: stack.container.newBackgroundContext())
      let wrong = try fresh.disagreements()
      #expect(wrong.isEmpty, "\(policy.mergeType) round \(round): \(wrong)")
      if !wrong.isEmpty { return }
      // Each hears of the other's save: the earlier one late.
      if let saved = theirs.last { mine.mergeChanges(fromContextDidSave: saved) }
      if let saved = ours.last { other.mergeChanges(fromContextDidSave: saved) }
      try stack.requireLiveLinks(
        "\(policy.mergeType) round \(round)",
        in: [mine, other, fresh.context]
      )
      for (name, context) in [("here", mine), ("there", other)] {
        let shown = try LibraryEdits(context: context).picture()
        let stored = try fresh.picture()
        #expect(
          shown == stored,
          "\(policy.mergeType) round \(round), \(name): shows \(Set(shown).subtracting(stored)) instead of \(Set(stored).subtracting(shown))"
        )
      }
      mine.refreshAllObjects()
      #expect(try LibraryEdits(context: mine).picture() == fresh.picture(), "round \(round)")
      withExtendedLifetime((keptHere, keptThere)) {}
    }
  }

  @Test(
    "A save that fails after its conflicts were resolved leaves context and store as they were",
    arguments: policies
  )
  func failure(_ policy: NSMergePolicy) throws {
    var refusals = 0
    for seed in 1...6 as ClosedRange<UInt64> {
      var random = RandomSteps(state: seed)
      let stack = try LibraryStack()
      let start = LibraryEdits(context: stack.context)
      for _ in 0..<50 { try start.edit(&random, deleting: false) }
      try stack.context.save()
      let other = stack.container.newBackgroundContext()
      let mine = stack.container.newBackgroundContext()
      let edits = LibraryEdits(context: mine)
      let kept = try LibraryEdits.entities.flatMap(edits.all) as [NSManagedObject]
      for object in kept {
        _ = object.dictionaryWithValues(Array(object.entity.attributesByName.keys))
      }
      _ = try edits.picture()
      for _ in 0..<12 {
        try LibraryEdits(context: other).edit(&random, prefix: "t")
        try edits.edit(&random, prefix: "m")
      }
      do { try other.save() } catch { continue }
      mine.processPendingChanges()
      let before = try edits.picture()
      let unsaved = [mine.insertedObjects, mine.updatedObjects, mine.deletedObjects]
      let changes = Self.changes(mine)
      let stored = try LibraryEdits(context: stack.container.newBackgroundContext()).picture()
      mine.mergePolicy = FailingPolicy(merge: policy.mergeType)
      do {
        try mine.save()
        continue
      } catch {
        guard error is FailingPolicy.Refusal else { continue }
      }
      refusals += 1
      let after = try edits.picture()
      #expect(
        after == before,
        "\(Set(after).symmetricDifference(before).sorted().joined(separator: "\n"))"
      )
      #expect([mine.insertedObjects, mine.updatedObjects, mine.deletedObjects] == unsaved)
      #expect(Self.changes(mine) == changes)
      #expect(
        try LibraryEdits(context: stack.container.newBackgroundContext()).picture() == stored
      )
      // The rows that the changes started from are known again too: the conflict is still there.
      mine.mergePolicy = NSMergePolicy.error
      #expect(throws: (any Error).self) { try mine.save() }
      #expect(try edits.picture() == before)
      mine.rollback()
      mine.refreshAllObjects()
      #expect(try edits.picture() == stored)
      withExtendedLifetime(kept) {}
    }
    #expect(refusals > 0)
  }

  /// Which properties are unsaved, and what they were.
  private static func changes(_ context: NSManagedObjectContext) -> [NSManagedObjectID: [String]] {
    var found: [NSManagedObjectID: [String]] = [:]
    for object in context.updatedObjects {
      let names = Array(object.entity.attributesByName.keys)
      let kept = object.committedValues(forKeys: names)
      found[object.objectID] =
        object.changedValuesForCurrentEvent().keys.sorted().map { "now \($0)" }
        + object.changedValues().keys.sorted() + kept.map { "\($0): \($1)" }.sorted()
    }
    return found
  }
}

/// Resolves all conflicts, and then refuses.
private final class FailingPolicy: NSMergePolicy, @unchecked Sendable {
  struct Refusal: Error {}
  override func resolve(mergeConflicts list: [Any]) throws {
    try super.resolve(mergeConflicts: list)
    // Whoever looks at the groups now sees them resolved.
    let context = (list.first as? NSMergeConflict)?.sourceObject.managedObjectContext
    _ = context.map { [$0.insertedObjects, $0.updatedObjects, $0.deletedObjects] }
    throw Refusal()
  }
}
