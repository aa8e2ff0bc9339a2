// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Batches leave what the same work on objects, saved, leaves.
///
/// `COREDATA_LAW_ROUNDS` sets the number of worlds.
@Suite struct BatchLawTests {
  private static let rounds =
    ProcessInfo.processInfo.environment["COREDATA_LAW_ROUNDS"].flatMap(Int.init) ?? 12

  private static let conditions = [
    "TRUEPREDICATE", "pages > 300", "author == nil", "author.name < 'n5'", "tags.@count > 1",
    "ANY tags.name > 'n3'", "chapters.@count == 0 OR cover != nil", "price == nil",
    "SUBQUERY(tags, $t, $t.books.@count > 1).@count > 0",
  ]

  /// Two stores with the same random world.
  private func worlds(_ seed: UInt64) throws -> (LibraryStack, LibraryStack) {
    let stacks = [try LibraryStack(), try LibraryStack()]
    for stack in stacks {
      var random = RandomSteps(state: seed)
      let edits = LibraryEdits(context: stack.context)
      // Edits alone make few books.
      for number in 0..<8 {
        let book = stack.make(number % 3 == 0 ? "Novel" : "Book", ["title": "b\(number)"])
        book.setValue(random.below(600), forKey: "pages")
        if number % 4 > 0 { book.setValue(Double(random.below(800)) / 8, forKey: "price") }
      }
      for step in 0..<60 { try edits.edit(&random, prefix: "n\(step)-") }
      try stack.context.save()
    }
    return (stacks[0], stacks[1])
  }

  private func picture(_ stack: LibraryStack) throws -> [String] {
    let context = stack.container.newBackgroundContext()
    return try LibraryEdits(context: context).picture()
  }

  @Test func aBatchDeleteLeavesWhatDeletingTheObjectsLeaves() throws {
    var denials = 0
    for seed in 1...UInt64(Self.rounds) {
      let (batch, objects) = try worlds(seed)
      var random = RandomSteps(state: seed &+ 1_000_000)
      for _ in 0..<3 {
        let request = try selection(&random)
        // Numbers of rows differ between the stores, so only an order of labels is the same in both.
        let deleted = try objects.context.fetch(request)
        for object in deleted { objects.context.delete(object) }
        let expected = Result { try objects.context.save() }
        let delete = NSBatchDeleteRequest(fetchRequest: request)
        delete.resultType = .resultTypeCount
        let outcome = Result { try batch.context.execute(delete) as? NSBatchDeleteResult }
        switch (expected, outcome) {
        case (.success, .success(let result)):
          #expect(result?.result as? Int == deleted.count, "seed \(seed)")
        case (.failure, .failure(let error as NSError)):
          denials += 1
          #expect(error.code == NSValidationRelationshipDeniedDeleteError, "seed \(seed)")
          objects.context.rollback()
        default:
          Issue.record("seed \(seed): \(request) \(expected) against \(outcome)")
        }
        let (left, right) = (try picture(batch), try picture(objects))
        try #require(left == right, "seed \(seed): \(request.entityName ?? "")")
        try objects.requireLiveLinks("seed \(seed)")
        // The context that the batch goes past knows nothing of it.
        try batch.requireLiveLinks("seed \(seed)", in: [])
      }
    }
    #expect(denials > 0)
  }

  private func selection(_ random: inout RandomSteps) throws -> NSFetchRequest<NSManagedObject> {
    let entity = ["Author", "Book", "Book", "Novel", "Tag", "Chapter", "Cover"][random.below(7)]
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    if entity == "Book" || entity == "Novel" {
      let format = Self.conditions[random.below(Self.conditions.count)]
      request.predicate = NSPredicate(format: format)
    }
    if random.below(2) == 0 {
      let key = LibraryEdits.labelKey(entity)
      request.sortDescriptors = [NSSortDescriptor(key: key, ascending: random.below(2) == 0)]
      request.fetchLimit = 1 + random.below(3)
      request.fetchOffset = random.below(2)
    }
    return request
  }

  @Test func aBatchUpdateLeavesWhatSettingTheObjectsLeaves() throws {
    let expressions = [
      "pages": ["5", "pages + 1", "price * 2", "length:(title)", "author.books.@sum.pages"],
      "price": ["pages", "price / 4", "cover.book.price", "tags.@count * 1.5"],
      "title": ["title", "uppercase:(title)"],
    ]
    for seed in 1...UInt64(Self.rounds) {
      let (batch, objects) = try worlds(seed)
      var random = RandomSteps(state: seed &+ 2_000_000)
      for _ in 0..<3 {
        let key = ["pages", "price", "title"][random.below(3)]
        let formats = expressions[key] ?? []
        let expression = NSExpression(format: formats[random.below(formats.count)])
        let condition = Self.conditions[random.below(Self.conditions.count)]
        let update = NSBatchUpdateRequest(entityName: random.below(3) == 0 ? "Novel" : "Book")
        update.predicate = NSPredicate(format: condition)
        update.includesSubentities = random.below(3) > 0
        update.propertiesToUpdate = [key: expression]
        update.resultType = .updatedObjectsCountResultType
        let request = NSFetchRequest<NSManagedObject>(entityName: update.entityName)
        request.predicate = update.predicate
        request.includesSubentities = update.includesSubentities
        let found = try objects.context.fetch(request)
        // All are read before the first is set.
        let values = found.map { expression.expressionValue(with: $0, context: nil) }
        for (object, value) in zip(found, values) {
          object.setValue(key == "pages" ? cut(value) : value, forKey: key)
        }
        try objects.context.save()
        let result = try batch.context.execute(update) as? NSBatchUpdateResult
        #expect(result?.result as? Int == found.count, "seed \(seed)")
        let place = "seed \(seed): \(key) = \(expression) where \(condition)"
        let (left, right) = (try picture(batch), try picture(objects))
        try #require(left == right, "\(place)")
      }
    }
  }

  /// What an integer attribute keeps of a number.
  private func cut(_ value: Any?) -> Any? {
    (value as? NSNumber).map { NSNumber(value: Int64($0.doubleValue)) }
  }
}
