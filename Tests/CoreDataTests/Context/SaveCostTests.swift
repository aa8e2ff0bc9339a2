// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What work costs as the context grows, by what is counted: objects walked over and statements.
@Suite struct SaveCostTests {
  private struct Cost: Equatable {
    let visits: Int
    let statements: Int
  }

  /// The cost of changing one object and saving, in a context that holds `count` with their values.
  private func costOfOneChange(among count: Int) throws -> Cost {
    let stack = try LibraryStack()
    for number in 0..<count { _ = stack.make("Book", ["title": "\(number)", "pages": number]) }
    try stack.context.save()
    let store = try #require(stack.container.persistentStoreCoordinator.persistentStores.first)
    let context = stack.container.newBackgroundContext()
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.returnsObjectsAsFaults = false
    let books = try context.fetch(request)
    #expect(context.registeredObjects.count == count)
    // The first save compiles its statements.
    books[0].setValue(-1, forKey: "pages")
    try context.save()
    let before = Cost(visits: context.registry.visits, statements: store.statements.counts.started)
    books[count / 2].setValue(-2, forKey: "pages")
    try context.save()
    return Cost(
      visits: context.registry.visits - before.visits,
      statements: store.statements.counts.started - before.statements
    )
  }

  @Test func savingOneOfManyCostsWhatSavingOneOfFewDoes() throws {
    let few = try costOfOneChange(among: 20)
    let many = try costOfOneChange(among: 2_000)
    #expect(few == many)
    #expect(many.visits == 0)
  }
}
