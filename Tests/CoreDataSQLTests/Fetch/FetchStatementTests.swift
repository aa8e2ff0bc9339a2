// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

@Suite("Statements of fetches")
struct FetchStatementTests {
  let library: Library
  init() throws { library = try Library() }

  private func statement(
    _ entity: String,
    _ format: String? = nil,
    _ change: (inout FetchDescription) -> Void = { _ in }
  ) throws -> Statement {
    var description = try library.fetch(entity, where: format)
    change(&description)
    return try library.planner.plan(description).statement
  }

  @Test("Rows of a hierarchy come with their entity's number, those of one entity without")
  func rows() throws {
    #expect(
      try statement("Author").text
        == "SELECT t0.Z_PK, t0.Z_OPT, t0.ZBORN, t0.ZNAME FROM ZAUTHOR AS t0"
    )
    let books = try statement("Book")
    #expect(books.text.hasPrefix("SELECT t0.Z_PK, t0.Z_OPT, t0.Z_ENT, "))
    #expect(books.text.hasSuffix(" FROM ZBOOK AS t0"))
    #expect(books.bindings.isEmpty)
  }

  @Test("A table with several entities is restricted to those of the fetch")
  func entities() throws {
    let novels = try statement("Novel") { $0.shape = .keys }
    #expect(novels.text == "SELECT t0.Z_PK, t0.Z_ENT FROM ZBOOK AS t0 WHERE t0.Z_ENT = ?")
    let number = library.layout.entities[try library.index("Novel")].number
    #expect(novels.bindings == [.integer(number)])
    let books = try statement("Book") {
      $0.shape = .keys
      $0.includesSubentities = false
    }
    #expect(books.text == novels.text)
    let all = try statement("Book") { $0.shape = .keys }
    #expect(all.text == "SELECT t0.Z_PK, t0.Z_ENT FROM ZBOOK AS t0")
  }

  @Test("A count asks the engine; a count within a limit counts the limited rows")
  func counts() throws {
    let plain = try statement("Tag", "label != nil") { $0.shape = .count }
    #expect(plain.text == "SELECT COUNT(*) FROM ZTAG AS t0 WHERE t0.ZLABEL IS NOT NULL")
    let limited = try statement("Tag") {
      $0.shape = .count
      $0.limit = 3
      $0.offset = 2
    }
    #expect(limited.text == "SELECT COUNT(*) FROM (SELECT 1 FROM ZTAG AS t0 LIMIT ? OFFSET ?)")
    #expect(limited.bindings == [.integer(3), .integer(2)])
  }

  @Test("All rows of a table are sorted in memory, a limited fetch and keys by the engine")
  func order() throws {
    var description = try library.fetch("Tag")
    description.order = [SortKey("label", ascending: true)]
    let all = try library.planner.plan(description)
    #expect(all.sorter != nil && !all.statement.text.contains("ORDER BY"))
    description.limit = 1
    let limited = try library.planner.plan(description)
    #expect(limited.sorter == nil)
    #expect(limited.statement.text.hasSuffix(" ORDER BY t0.ZLABEL LIMIT ?"))
  }

  @Test("Sorting by a key path joins its table once")
  func joins() throws {
    let statement = try statement("Book", "author.name == 'A'") {
      $0.shape = .keys
      $0.order = [SortKey("author.name", ascending: false)]
    }
    #expect(
      statement.text == "SELECT t0.Z_PK, t0.Z_ENT FROM ZBOOK AS t0 "
        + "LEFT JOIN ZAUTHOR AS t1 ON t0.ZAUTHOR = t1.Z_PK "
        + "WHERE t1.ZNAME = ? ORDER BY t1.ZNAME DESC"
    )
    #expect(statement.bindings == [.text("A")])
  }

  @Test("Dictionaries select their columns, grouped and filtered")
  func dictionaries() throws {
    var shape = DictionaryShape(columns: [
      .init(name: "title", term: .keyPath("title")), .init(name: "pages", term: .keyPath("pages")),
    ])
    shape.groupBy = [.keyPath("title")]
    shape.having = try Condition(format: "pages > 5")
    shape.isDistinct = true
    let statement = try statement("Book") { $0.shape = .dictionaries(shape) }
    #expect(
      statement.text == "SELECT DISTINCT t0.ZTITLE, t0.ZPAGES FROM ZBOOK AS t0 "
        + "GROUP BY t0.ZTITLE HAVING t0.ZPAGES > ?"
    )
  }

  @Test("WHERE and HAVING share the limits of a statement")
  func sharedLimits() throws {
    func many(_ count: Int) throws -> Condition {
      .or(try (0..<count).map { try Condition(format: "pages > \($0)") })
    }
    func plan(where count: Int, having others: Int) throws {
      var shape = DictionaryShape(columns: [.init(name: "pages", term: .keyPath("pages"))])
      shape.groupBy = [.keyPath("pages")]
      shape.having = try many(others)
      let condition = try many(count)
      _ = try statement("Book") {
        $0.condition = condition
        $0.shape = .dictionaries(shape)
      }
    }
    try plan(where: 2000, having: 2000)
    let error = #expect(throws: StoreError.self) { try plan(where: 2500, having: 2500) }
    #expect(error?.code == .inexpressible)
  }

  // MARK: Rows that an aggregate takes

  @Test("Unordered rows and keys go to the aggregate, and the statement says so")
  func collecting() throws {
    let planner = library.collectingPlanner
    for shape in [FetchDescription.ResultForm.rows, .keys] {
      var description = try library.fetch("Tag", where: "label > 'a'")
      description.shape = shape
      let statement = try planner.plan(description).statement
      #expect(statement.traits.contains(.collectsRows))
      #expect(statement.text.hasPrefix("SELECT CDRow(t0.Z_PK"))
    }
  }

  @Test("Ordered and limited rows, counts and dictionaries are stepped to")
  func stepping() throws {
    let planner = library.collectingPlanner
    var limited = try library.fetch("Tag")
    limited.limit = 1
    var ordered = try library.fetch("Tag")
    ordered.shape = .keys
    ordered.order = [SortKey("label", ascending: true)]
    var count = try library.fetch("Tag")
    count.shape = .count
    var dictionaries = try library.fetch("Tag")
    let column = DictionaryShape.Column(name: "label", term: .keyPath("label"))
    dictionaries.shape = .dictionaries(DictionaryShape(columns: [column]))
    for description in [limited, ordered, count, dictionaries] {
      let statement = try planner.plan(description).statement
      #expect(!statement.traits.contains(.collectsRows))
      #expect(!statement.text.contains("CDRow"))
    }
    let stepped = try planner.steppingOnly.plan(library.fetch("Tag")).statement
    #expect(!stepped.traits.contains(.collectsRows))
  }

  @Test("A table with more columns than an aggregate takes is stepped through")
  func wide() throws {
    func statement(columns: Int) throws -> Statement {
      var draft = ModelDraft()
      var wide = EntityDraft(name: "Wide")
      wide.properties = (0..<columns).map {
        PropertyDraft(name: "a\($0)", kind: .attribute(AttributeDefinition(type: .string)))
      }
      draft.entities = [wide]
      let layout = try Layout(model: ModelDefinition(draft))
      let planner = FetchPlanner(layout: layout, storeIndex: 0, collects: true)
      return try planner.plan(FetchDescription(entity: 0)).statement
    }
    #expect(try statement(columns: 100).traits.contains(.collectsRows))
    #expect(try !statement(columns: 101).traits.contains(.collectsRows))
  }
}
