// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A fetch finds with unsaved changes what it finds once they are saved, and with a batch size what it
/// finds without one.
///
/// `COREDATA_LAW_SEEDS` sets the number of worlds.
@Suite struct UnsavedLawTests {
  private static let conditions = [
    "TRUEPREDICATE", "pages > 300", "author == nil", "author.name < 'n3'", "tags.@count > 1",
    "ANY tags.name > 'n3'", "chapters.@count == 0 OR cover != nil", "price == nil",
    "ALL chapters.name < 'n5'", "NOT (cover.colour > 'n3')", "author.books.@count > 2",
    "SUBQUERY(tags, $t, $t.books.@count > 1).@count > 0", "modulus:by:(length:(title), 2) == 0",
    "median({pages, 300, 301}) > 300", "price > author.books.@avg.price",
  ]
  private static let keys = [
    "pages", "price", "author.name", "cover.colour", "isLent", "published",
  ]

  /// Books of every kind, saved.
  private func world(_ random: inout RandomSteps) throws -> LibraryStack {
    let stack = try LibraryStack()
    let edits = LibraryEdits(context: stack.context)
    for number in 0..<10 {
      let book = stack.make(number % 3 == 0 ? "Novel" : "Book", ["title": "b\(number)"])
      book.setValue(random.below(600), forKey: "pages")
    }
    for step in 0..<60 { try edits.edit(&random, prefix: "n\(step)-") }
    try stack.context.save()
    return stack
  }

  /// Books by a random condition, order and window; titles, which differ, decide last.
  private func request(_ random: inout RandomSteps) -> NSFetchRequest<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(
      entityName: random.below(5) == 0 ? "Novel" : "Book"
    )
    let format = Self.conditions[random.below(Self.conditions.count)]
    request.predicate = NSPredicate(format: format)
    let key = Self.keys[random.below(Self.keys.count)]
    request.sortDescriptors = [
      NSSortDescriptor(key: key, ascending: random.below(2) == 0),
      NSSortDescriptor(key: "title", ascending: true),
    ]
    request.includesSubentities = random.below(4) > 0
    request.fetchOffset = random.below(3)
    request.fetchLimit = random.below(6)
    request.returnsObjectsAsFaults = random.below(2) == 0
    return request
  }

  private func text(_ request: NSFetchRequest<NSManagedObject>) -> String {
    "\(request.entityName ?? "") \(request.predicate.map { "\($0)" } ?? "") "
      + "by \(request.sortDescriptors?.first?.key ?? "") \(request.fetchOffset)+\(request.fetchLimit)"
  }

  /// The titles of a fetch by each result type, in one context.
  private func results(
    _ request: NSFetchRequest<NSManagedObject>,
    in context: NSManagedObjectContext
  ) throws -> [String] {
    try context.performAndWait {
      let ids = NSFetchRequest<NSManagedObjectID>(entityName: request.entityName ?? "")
      ids.resultType = .managedObjectIDResultType
      (ids.predicate, ids.sortDescriptors) = (request.predicate, request.sortDescriptors)
      (ids.fetchOffset, ids.fetchLimit) = (request.fetchOffset, request.fetchLimit)
      ids.includesSubentities = request.includesSubentities
      let titles = try context.fetch(request).map(LibraryEdits.label)
      #expect(try context.count(for: request) == titles.count, "\(text(request))")
      let found = try context.fetch(ids).map { LibraryEdits.label(context.object(with: $0)) }
      #expect(found == titles, "IDs: \(text(request))")
      return titles
    }
  }

  @Test func unsavedChangesCountAsSavedOnes() throws {
    for seed in lawSeeds(6) {
      var random = RandomSteps(state: seed)
      let stack = try world(&random)
      let context = stack.context
      let child = NSManagedObjectContext(.privateQueue)
      child.parent = context
      for round in 0..<4 {
        let edits = LibraryEdits(context: context)
        for step in 0..<(1 + random.below(25)) {
          try edits.edit(&random, prefix: "n\(step)-\(round)", deleting: random.below(3) == 0)
        }
        let requests = (0..<20).map { _ in request(&random) }
        let before = try requests.map { try results($0, in: context) }
        let batched = try requests.map { request in
          request.fetchBatchSize = 1 + random.below(5)
          defer { request.fetchBatchSize = 0 }
          return try results(request, in: context)
        }
        let below = try requests.map { try results($0, in: child) }
        try context.save()
        let after = try requests.map { try results($0, in: stack.container.newBackgroundContext()) }
        for (index, request) in requests.enumerated() {
          let place = "seed \(seed), round \(round): \(text(request))"
          #expect(before[index] == after[index], "\(place)")
          #expect(batched[index] == after[index], "batched, \(place)")
          #expect(below[index] == after[index], "in a child, \(place)")
        }
        child.performAndWait { child.reset() }
      }
    }
  }

  @Test func aBatchSizeChangesNothing() throws {
    for seed in lawSeeds(6) {
      var random = RandomSteps(state: seed &+ 500)
      let stack = try world(&random)
      for _ in 0..<30 {
        let request = request(&random)
        request.includesPendingChanges = random.below(2) == 0
        if random.below(2) == 0 {
          request.relationshipKeyPathsForPrefetching = ["author.books", "tags", "chapters.book"]
        }
        request.includesPropertyValues = random.below(4) > 0
        let reader = stack.container.newBackgroundContext()
        let whole = try reader.fetch(request).map(LibraryEdits.label)
        request.fetchBatchSize = 1 + random.below(7)
        let place = "seed \(seed): \(text(request)), \(request.fetchBatchSize) at a time"
        let other = stack.container.newBackgroundContext()
        let books = try other.fetch(request)
        // Touched in any order, with saves of others in between.
        let touched = Dictionary(
          uniqueKeysWithValues: books.indices.sorted { ($0 * 7) % 11 < ($1 * 7) % 11 }
            .map { ($0, LibraryEdits.label(books[$0])) }
        )
        #expect(books.indices.map { touched[$0] } == whole, "\(place)")
        let lazily = try other.fetchLazily(request)
        #expect(lazily.map(LibraryEdits.label) == whole, "lazily, \(place)")
        #expect(Array(lazily.reversed().map(LibraryEdits.label).reversed()) == whole, "\(place)")
        #expect(try other.fetchStream(request).map(LibraryEdits.label) == whole, "\(place)")
        let child = NSManagedObjectContext(.privateQueue)
        child.parent = stack.container.newBackgroundContext()
        #expect(try results(request, in: child) == whole, "in a child, \(place)")
        let tag = stack.make("Tag", ["name": "n\(random.below(9))"])
        _ = tag
        try stack.context.save()
      }
    }
  }
}
