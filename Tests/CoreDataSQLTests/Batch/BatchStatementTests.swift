// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

@Suite("Statements of batch requests")
struct BatchStatementTests {
  let library: Library
  private let raised = "Z_OPT = \(RowVersion.stored) + 1"
  init() throws { library = try Library() }

  private func update(_ entity: String, _ property: String, _ term: String) throws -> Statement {
    var update = BatchUpdate(entity: try library.index(entity))
    let slot = try library.slot(entity, property)
    update.assignments = [(slot: slot, assigned: .term(try Term(format: term)))]
    return try BatchUpdatePlan(update, planner: library.planner).statement
  }

  @Test("An update of values from the same row changes the table directly")
  func direct() throws {
    let statement = try update("Book", "pages", "pages + 1")
    #expect(
      statement.text
        == "UPDATE ZBOOK AS t0 SET \(raised), ZPAGES = CAST((t0.ZPAGES + ?) AS INTEGER)"
    )
    #expect(statement.bindings == [.integer(1)])
  }

  @Test("An update that reads other rows computes all values before the first change")
  func staged() throws {
    let statement = try update("Author", "name", "TERNARY(books.@count > 1, 'many', 'few')")
    #expect(
      statement.text
        == "UPDATE ZAUTHOR SET \(raised), ZNAME = n.c0 FROM (SELECT t0.Z_PK AS pk, "
        + "CASE WHEN (SELECT COUNT(*) FROM ZBOOK AS t1 WHERE t1.ZAUTHOR = t0.Z_PK) > ? "
        + "THEN ? ELSE ? END AS c0 FROM ZAUTHOR AS t0) AS n WHERE ZAUTHOR.Z_PK = n.pk"
    )
  }

  @Test("A text that spells a subselect is a value, not a reason to read rows first")
  func text() throws {
    let statement = try update("Author", "name", "'SELECT 1'")
    #expect(statement.text == "UPDATE ZAUTHOR AS t0 SET \(raised), ZNAME = ?")
    #expect(statement.bindings == [.text("SELECT 1")])
  }

  @Test("An update that cannot set a property says why")
  func refused() throws {
    let other = try #require(ObjectKey(store: 1, entity: library.index("Author"), number: 1))
    let tag = try #require(ObjectKey(store: 0, entity: library.index("Tag"), number: 1))
    let new = ObjectKey.temporary(entity: try library.index("Author"), number: 1)
    let cases: [(String, BatchUpdate.Assigned, String)] = [
      ("author", .value(.key(new)), "to an object with a temporary ID"),
      ("author", .value(.key(other)), "to an object in another store"),
      ("author", .value(.key(tag)), "entity Tag; the relationship's destination entity is Author"),
      ("author", .value(.int(5)), "required: an object ID; found: a number"),
      (
        "author", .term(.keyPath("author")),
        "the relationship Book.author to the expression author; pass an object ID"
      ),
      ("pages", .term(.keyPath("title")), "found: a string"),
      ("pages", .term(.keyPath("tags")), "found: a collection"),
    ]
    for (property, assigned, cause) in cases {
      var update = BatchUpdate(entity: try library.index("Book"))
      update.assignments = [(slot: try library.slot("Book", property), assigned: assigned)]
      let error = #expect(throws: StoreError.self) {
        try BatchUpdatePlan(update, planner: library.planner)
      }
      #expect(error?.code == .invalidRequest)
      #expect(error?.message.contains("Book.\(property)") == true)
      #expect(error?.message.contains(cause) == true, "\(error?.message ?? "")")
    }
  }

  private func deletion(_ entity: String, _ format: String? = nil) throws -> BatchDeletePlan {
    let rows = try library.fetch(entity, where: format)
    return try BatchDeletePlan(BatchDelete(rows: rows, report: []), planner: library.planner)
  }

  @Test("A deletion without consequences is one statement")
  func deletion() throws {
    let direct = try deletion("Chapter", "heading == 'x'").direct
    #expect(direct?.text == "DELETE FROM ZCHAPTER AS t0 WHERE t0.ZHEADING = ?")
    let joined = try deletion("Chapter", "book.title == 'x'").direct
    #expect(
      joined?.text
        == "DELETE FROM ZCHAPTER WHERE Z_PK IN (SELECT t0.Z_PK FROM ZCHAPTER AS t0 "
        + "LEFT JOIN ZBOOK AS t1 ON t0.ZBOOK = t1.Z_PK WHERE t1.ZTITLE = ?)"
    )
  }

  @Test("A deletion that others follow collects its keys first")
  func collected() throws {
    let plan = try deletion("Book")
    #expect(plan.direct == nil)
    let root = try library.index("Book")
    #expect(
      plan.insertRequested.text
        == "INSERT INTO temp.CDDeleted SELECT \(root) AS root, t0.Z_PK AS pk, t0.Z_ENT AS ent, "
        + "0 AS level FROM ZBOOK AS t0"
    )
    let steps = plan.consequences.steps(from: root)
    let cascades = steps.compactMap { step in
      if case .cascade(let statement, let entity) = step { (statement, entity) } else { nil }
    }
    #expect(cascades.count == 1)
    #expect(try cascades.first?.1 == library.index("Chapter"))
    #expect(cascades.first?.0.text.hasPrefix("INSERT OR IGNORE INTO temp.CDDeleted SELECT") == true)
    #expect(steps.contains { if case .files = $0 { true } else { false } })
    let denials = plan.consequences.steps(from: try library.index("Author")).compactMap { step in
      if case .deny(let statement, let name) = step { (statement, name) } else { nil }
    }
    #expect(denials.map(\.1) == ["Author.books"])
    #expect(denials.first?.0.text.hasSuffix(" LIMIT 1") == true)
  }

  @Test("Rows of a batch insert share a statement, and duplicates follow the constraint")
  func inserts() throws {
    let constraints = UniquenessConstraints(library.model)
    let tag = try library.index("Tag")
    let statements = BatchInsertStatements(
      entity: tag,
      constraints: constraints,
      layout: library.layout
    )
    func text(_ duplicates: BatchInsert.Duplicates, reports: Bool = false) -> String {
      statements.insert(rows: 2, duplicates: duplicates, named: SlotSet(), reports: reports).text
    }
    let number = library.layout.entities[tag].number
    let plain =
      "INSERT INTO ZTAG(Z_PK, Z_ENT, Z_OPT, ZLABEL) VALUES(?, \(number), 1, ?), (?, \(number), 1, ?)"
    #expect(text(.refuse) == plain)
    #expect(text(.keep) == plain + " ON CONFLICT DO NOTHING")
    #expect(
      text(.overwrite, reports: true)
        == plain + " ON CONFLICT DO UPDATE SET \(raised), ZLABEL = excluded.ZLABEL "
        + "RETURNING Z_PK, Z_ENT"
    )
  }
}
