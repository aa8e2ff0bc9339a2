// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What predicates of a fetch may name: keys, objects, IDs, subfetches and members.
extension FetchRules {
  @Test("FR-20 an unknown key is an error that names key and entity", arguments: stores)
  func fr20(type: String) throws {
    let shelf = try Shelf(1, type)
    let error = #expect(throws: NSError.self) {
      try shelf.context.fetch(shelf.request("nothing == 1"))
    }
    let reason = error?.localizedFailureReason ?? ""
    #expect(reason.contains("keypath nothing not found in entity") && reason.contains("Book"))
  }

  @Test("FR-21 SELF and objectID compare with objects and IDs, of any context", arguments: stores)
  func fr21(type: String) throws {
    let shelf = try Shelf(5, type)
    let books = try shelf.reader().fetch(shelf.request())
    func pages(_ format: String, _ argument: Any) throws -> [Int] {
      let request = shelf.request()
      request.predicate = NSPredicate(format: format, argumentArray: [argument])
      return Shelf.pages(try shelf.context.fetch(request))
    }
    #expect(try pages("SELF == %@", books[2]) == [2])
    #expect(try pages("SELF == %@", books[2].objectID) == [2])
    #expect(try pages("objectID == %@", books[3].objectID) == [3])
    #expect(try pages("SELF IN %@", [books[1], books[4].objectID] as [NSObject]) == [1, 4])
    #expect(try pages("objectID IN %@", [books[0].objectID]) == [0])
  }

  @Test(
    "FR-21 many objects are found whether they are neighbours or lie far apart",
    arguments: stores
  )
  func fr21ManyObjects(type: String) throws {
    let shelf = try Shelf(600, type)
    let books = try shelf.reader().fetch(shelf.request())
    let temporary = shelf.stack.make("Book", ["pages": 1000]).objectID
    for step in [1, 2, 7, 20] {
      let chosen = stride(from: 1, to: 600, by: step).map { $0 }
      let objects: [NSObject] = chosen.map { $0 % 2 == 0 ? books[$0] : books[$0].objectID }
      for (format, pages) in [
        ("SELF IN %@", chosen), ("NOT SELF IN %@", Array(Set(0..<600).subtracting(chosen))),
      ] {
        let request = shelf.request()
        request.includesPendingChanges = false
        request.predicate = NSPredicate(format: format, argumentArray: [objects + [temporary]])
        #expect(
          Shelf.pages(try shelf.context.fetch(request)) == pages.sorted(),
          "\(format) \(step)"
        )
      }
    }
  }

  @Test("FR-22 FETCH in a predicate gives an array or a count")
  func fr22() throws {
    let shelf = try Shelf(6)
    let request = shelf.request("pages > 3")
    let expression = NSFetchRequestExpression.expression(
      forFetch: NSExpression(forConstantValue: request),
      context: NSExpression(forConstantValue: shelf.context),
      countOnly: true
    )
    #expect(expression.expressionValue(with: nil, context: nil) as? Int == 2)
    let books = try shelf.context.fetch(shelf.request())
    let members = NSFetchRequestExpression.expression(
      forFetch: NSExpression(forConstantValue: request),
      context: NSExpression(forConstantValue: shelf.context),
      countOnly: false
    )
    let predicate = NSComparisonPredicate(
      leftExpression: NSExpression.expressionForEvaluatedObject(),
      rightExpression: members,
      modifier: .direct,
      type: .in,
      options: []
    )
    #expect(Shelf.pages(books.filter { predicate.evaluate(with: $0) }) == [4, 5])
  }

  @Test("FR-23 over no members ALL and NONE hold, ANY does not", arguments: stores)
  func fr23(type: String) throws {
    let shelf = try Shelf(1, type)
    _ = shelf.stack.make("Author", ["name": "nobody"])
    try shelf.context.save()
    func finds(_ format: String) throws -> Bool {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.predicate = NSPredicate(format: "name == 'nobody' AND " + format)
      return try !shelf.context.fetch(request).isEmpty
    }
    #expect(try finds("ALL books.pages > 3") && finds("NONE books.pages > 3"))
    #expect(try !finds("ANY books.pages > 3"))
  }

  @Test(
    "FR-24 ANY conditions may each hold for another member; SUBQUERY asks for one",
    arguments: stores
  )
  func fr24(type: String) throws {
    let shelf = try Shelf(8, type)
    func names(_ format: String) throws -> [String] {
      let request = NSFetchRequest<NSManagedObject>(entityName: "Author")
      request.predicate = NSPredicate(format: format)
      request.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
      return try shelf.context.fetch(request).compactMap { $0.value(forKey: "name") as? String }
    }
    // Author 1 wrote books of 1 and 5 pages.
    #expect(try names("ANY books.pages == 1 AND ANY books.pages == 5") == ["author 1"])
    let same = "SUBQUERY(books, $b, $b.pages == 1 AND $b.pages == 5).@count > 0"
    #expect(try names(same).isEmpty)
  }
}
