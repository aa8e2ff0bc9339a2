// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

@Suite("Conditions as SQL")
struct ConditionTextTests {
  struct Case: CustomTestStringConvertible {
    let entity: String
    let format: String
    let text: String
    let bindings: [Binding]
    init(_ entity: String, _ format: String, _ text: String, _ bindings: [Binding] = []) {
      self.entity = entity
      self.format = format
      self.text = text
      self.bindings = bindings
    }
    var testDescription: String { format }
  }

  @Test(
    "A condition is one piece with its values bound",
    arguments: [
      Case("Tag", "label == nil", "t0.ZLABEL IS NULL"),
      Case("Tag", "label != 'a'", "t0.ZLABEL IS NOT ?", [.text("a")]),
      Case("Tag", "NOT label == 'a'", "((t0.ZLABEL = ?) IS NOT TRUE)", [.text("a")]),
      Case(
        "Tag",
        "label == 'a' AND label > 'b'",
        "(t0.ZLABEL = ? AND t0.ZLABEL > ?)",
        [.text("a"), .text("b")]
      ),
      Case("Tag", "label IN {'a', 'b'}", "t0.ZLABEL IN (?, ?)", [.text("a"), .text("b")]),
      Case(
        "Tag",
        "label == 'a' OR label == 'b'",
        "(t0.ZLABEL = ? OR t0.ZLABEL = ?)",
        [.text("a"), .text("b")]
      ),
      Case(
        "Tag",
        "label BETWEEN {'a', 'b'}",
        "(t0.ZLABEL >= ? AND t0.ZLABEL <= ?)",
        [.text("a"), .text("b")]
      ),
      Case(
        "Tag",
        "label BEGINSWITH 'ab'",
        "(t0.ZLABEL >= ? AND t0.ZLABEL < ?)",
        [.text("ab"), .text("ac")]
      ),
      Case("Tag", "label LIKE 'a'", "t0.ZLABEL = ?", [.text("a")]),
      Case("Book", "pages + 1 > 5", "(t0.ZPAGES + ?) > ?", [.integer(1), .integer(5)]),
      Case("Book", "author == nil", "t0.ZAUTHOR IS NULL"),
      Case("Book", "author.name == 'A'", "t1.ZNAME = ?", [.text("A")]),
      Case(
        "Author",
        "books.@count > 2",
        "(SELECT COUNT(*) FROM ZBOOK AS t1 WHERE t1.ZAUTHOR = t0.Z_PK) > ?",
        [.integer(2)]
      ),
      Case(
        "Author",
        "ANY books.pages > 2",
        "EXISTS (SELECT 1 FROM ZBOOK AS t1 WHERE t1.ZAUTHOR = t0.Z_PK "
          + "AND t1.ZPAGES IS NOT NULL AND t1.ZPAGES > ?)",
        [.integer(2)]
      ),
    ]
  )
  func text(_ given: Case) throws {
    let library = try Library()
    let made = try library.condition(given.entity, given.format)
    #expect(made.text == given.text)
    #expect(made.bindings == given.bindings)
  }

  @Test("A list of more than sixteen values is bound as one")
  func lists() throws {
    let library = try Library()
    func made(_ count: Int) throws -> Statement {
      let labels = (0..<count).map { "'\($0)'" }.joined(separator: ", ")
      return try library.condition("Tag", "label IN {\(labels)}")
    }
    #expect(try made(16).bindings.count == 16)
    #expect(try made(17).text == "t0.ZLABEL IN (SELECT value FROM json_each(?))")
    #expect(try made(17).bindings.count == 1)
  }

  @Test(
    "A function of ours is marked, so that no index contains it",
    arguments: ["label CONTAINS 'a'", "label ==[c] 'a'", "uppercase(label) == 'A'"]
  )
  func ownFunctions(format: String) throws {
    let library = try Library()
    let plan = try library.planner.plan(library.fetch("Tag", where: format))
    #expect(plan.statement.traits.contains(.callsOwnFunctions))
    let plain = try library.planner.plan(library.fetch("Tag", where: "label == 'a'"))
    #expect(!plain.statement.traits.contains(.callsOwnFunctions))
  }

  @Test("A key path that the entity does not have is refused by name")
  func unknown() throws {
    let library = try Library()
    let error = #expect(throws: StoreError.self) { try library.condition("Tag", "colour == 'a'") }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("colour") == true)
  }

  @Test(
    "What SQL cannot express is named together with its comparison",
    arguments: [
      ("Tag", "label > 5", "label > …: > between a string and a number"),
      ("Book", "author < author", "author < author: < between an object and an object"),
      ("Book", "pages + title == 1", "arithmetic with a string, which is not a number"),
      ("Book", "sum(pages) == 1", "sum of pages, which is not a to-many relationship"),
      ("Tag", "label MATCHES '('", "MATCHES with the invalid regular expression “(”"),
      ("Book", "pages BEGINSWITH 'a'", "a string operator with a number, which is not a string"),
      ("Author", "books.tags.@count > 1", "leads through more than one to-many relationship"),
      ("Author", "books.@sum.author.books > 1", "leads through more than one to-many relationship"),
      ("Author", "books.@count.pages > 1", "which continues after @count"),
      ("Author", "books.@median.pages > 1", "the collection operator @median"),
      (
        "Author", "SUBQUERY(name, $n, $n == nil).@count > 1", "SUBQUERY over name, which is not"
      ),
      (
        "Author", "SUBQUERY(books.tags, $t, $t == nil).@count > 1",
        "SUBQUERY over books.tags, a"
      ),
      ("Author", "TERNARY(name == 'a', born, name) == 'b'", "TERNARY between a date and a string"),
    ]
  )
  func inexpressible(entity: String, format: String, what: String) throws {
    let library = try Library()
    let error = #expect(throws: StoreError.self) { try library.condition(entity, format) }
    #expect(error?.code == .inexpressible)
    #expect(error?.message.hasPrefix("unimplemented SQL generation for predicate ") == true)
    #expect(error?.message.contains(what) == true, "\(error?.message ?? "")")
  }

  @Test("A to-many as a sort key is refused with keys that can be used instead")
  func toManySortKey() throws {
    let library = try Library()
    var description = try library.fetch("Author")
    description.order = [SortKey("books")]
    let error = #expect(throws: StoreError.self) { try library.planner.plan(description) }
    #expect(error?.code == .invalidRequest)
    #expect(error?.message.contains("to-many key not allowed here: books") == true)
    #expect(error?.message.contains("is a sort key") == true)
  }

  @Test("A request about an entity that the model does not have is refused with the index")
  func foreignEntity() throws {
    let library = try Library()
    let description = FetchDescription(entity: 99)
    let error = #expect(throws: StoreError.self) { try library.planner.plan(description) }
    #expect(error?.code == .invalidRequest && error?.message.contains("99") == true)
  }

  @Test("What only memory can evaluate is unsayable, and the rest of a condition is not")
  func divided() throws {
    let library = try Library()
    let format = "label > 'a' AND SELF.label MATCHES '('"
    #expect(throws: StoreError.self) { try library.condition("Tag", format) }
    let parts = try library.planner.divided(library.fetch("Tag", where: format))
    #expect(parts.rest != nil)
    let stored = try library.planner.plan(parts.stored).statement
    #expect(stored.text.hasSuffix(" WHERE t0.ZLABEL > ?"))
  }
}
