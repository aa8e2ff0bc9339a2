// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Predicates and sort descriptors asked of managed objects, whose rows are read in place.
@Suite struct PredicateOnObjectsTests {
  @Test func `Objects of several entities, faults and changed ones are read as they are`() throws {
    let stack = try LibraryStack()
    try stack.context.performAndWait {
      // The name is an attribute of two entities, at different places in their rows.
      let book = stack.make("Book", ["title": "Émile", "pages": 10, "isLent": true])
      let novel = stack.make("Novel", ["title": "emile", "pages": 300, "hero": "E"])
      let author = stack.make("Author", ["name": "Rousseau"])
      let tag = stack.make("Tag", ["name": "rousseau"])
      try stack.context.save()

      let long = NSPredicate(format: "pages > 100 AND title ==[cd] 'EMILE'")
      #expect(
        [book, novel, book, novel].map { long.evaluate(with: $0) } == [false, true, false, true]
      )
      let named = NSPredicate(format: "name IN {'rousseau', 'x'}")
      #expect([author, tag, author].map { named.evaluate(with: $0) } == [false, true, false])

      book.setValue(101, forKey: "pages")
      #expect(long.evaluate(with: book))
      stack.context.refresh(novel, mergeChanges: false)
      #expect(novel.isFault)
      #expect(long.evaluate(with: novel))
      #expect(!novel.isFault)

      book.setValue(nil, forKey: "title")
      #expect(!long.evaluate(with: book))
      #expect(NSPredicate(format: "title == nil").evaluate(with: book))
      #expect(!NSPredicate(format: "title CONTAINS[cd] 'e'").evaluate(with: book))
      #expect(NSPredicate(format: "isLent == YES AND pages != 3").evaluate(with: book))
      #expect(NSPredicate(format: "SELF == %@", book).evaluate(with: book))
      #expect(NSPredicate(format: "ANYKEY == 300").evaluate(with: novel))
    }
  }
}
