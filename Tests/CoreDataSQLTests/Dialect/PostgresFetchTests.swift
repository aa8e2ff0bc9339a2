// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

@Suite("Statements of fetches for PostgreSQL")
struct PostgresFetchTests {
  private let library: ServerLibrary
  init() throws { library = try ServerLibrary() }

  @Test("Sorting puts null first as SQLite does, and texts in the order of their bytes")
  func order() throws {
    let statement = try library.statement("Part") {
      $0.shape = .keys
      $0.order = [SortKey("note", ascending: true), SortKey("size", ascending: false)]
      $0.limit = 3
      $0.offset = 2
    }
    #expect(
      statement.text
        == "SELECT t0.z_pk FROM \"Part\" AS t0 ORDER BY t0.\"note\" COLLATE \"C\" NULLS FIRST, "
        + "t0.\"size\" DESC NULLS LAST LIMIT $1::bigint OFFSET $2::bigint"
    )
    #expect(statement.bindings == [.integer(3), .integer(2)])
  }

  @Test("An offset without a limit has no limit")
  func offset() throws {
    let statement = try library.statement("Part") {
      $0.shape = .keys
      $0.offset = 2
    }
    #expect(statement.text == "SELECT t0.z_pk FROM \"Part\" AS t0 OFFSET $1::bigint")
  }

  @Test("A limited count counts a subselect, which has a name")
  func count() throws {
    let statement = try library.statement("Part") {
      $0.shape = .count
      $0.limit = 3
    }
    #expect(
      statement.text == "SELECT COUNT(*) FROM (SELECT 1 FROM \"Part\" AS t0 LIMIT $1::bigint) AS c"
    )
  }

  @Test("A sort by the rules of a language is left to memory")
  func languages() throws {
    var description = try library.fetch("Part", where: "size > 1")
    description.limit = 3
    for comparison: SortKey.Comparison in [.caseInsensitive, .localized, .localizedStandard] {
      description.order = [SortKey("note", ascending: true, comparison: comparison)]
      #expect(throws: StoreError.self) { try library.planner.plan(description) }
      let parts = try library.planner.divided(description)
      #expect(parts.order.count == 1 && parts.rest == nil && parts.stored.limit == 0)
    }
  }

  @Test("Keys that are bound later are numbers or one array")
  func keys() throws {
    let root = library.model.indexByName["Part"] ?? 0
    #expect(
      library.planner.rows(root: root, .list).statement.text.hasSuffix(
        "WHERE t0.z_pk = ANY($1::bigint[])"
      )
    )
    #expect(
      library.planner.rows(root: root, .range).statement.text.hasSuffix(
        "WHERE t0.z_pk BETWEEN $1::bigint AND $2::bigint"
      )
    )
  }

  private func grouped(_ formats: [String], by names: [String]) throws -> DictionaryShape {
    var shape = DictionaryShape(
      columns: try formats.map { .init(name: $0, term: try Term(format: $0)) }
    )
    shape.groupBy = names.map { .keyPath($0) }
    return shape
  }

  @Test("Groups have their columns, aggregates and conditions")
  func groups() throws {
    var shape = try grouped(["note", "sum:(size)"], by: ["note"])
    shape.having = try Condition(format: "sum:(size) > 5")
    let statement = try library.statement("Part") { $0.shape = .dictionaries(shape) }
    #expect(
      statement.text
        == "SELECT t0.\"note\", SUM(t0.\"size\") FROM \"Part\" AS t0 GROUP BY t0.\"note\" "
        + "HAVING SUM(t0.\"size\") > $1::bigint"
    )
  }

  @Test("A column by which the rows are not grouped is refused by name")
  func ungrouped() throws {
    let shape = try grouped(["note", "size"], by: ["note"])
    let error = #expect(throws: StoreError.self) {
      try library.statement("Part") { $0.shape = .dictionaries(shape) }
    }
    #expect(error?.message.contains("the column “size”") == true)
  }

  @Test("Equal expressions of a grouped statement share their values")
  func sharedValues() throws {
    let shape = try grouped(["size / 10", "count:(note)"], by: [])
    var keyed = shape
    keyed.groupBy = [shape.columns[0].term]
    let statement = try library.statement("Part") { $0.shape = .dictionaries(keyed) }
    #expect(
      statement.text
        == "SELECT (t0.\"size\" / $1::bigint), COUNT(t0.\"note\") FROM \"Part\" AS t0 "
        + "GROUP BY (t0.\"size\" / $1::bigint)"
    )
    #expect(statement.bindings == [.integer(10)])
  }

  @Test("Distinct rows are sorted by their columns")
  func distinct() throws {
    var shape = try grouped(["note", "size"], by: [])
    shape.isDistinct = true
    let statement = try library.statement("Part") {
      $0.shape = .dictionaries(shape)
      $0.order = [SortKey("note", ascending: true)]
      $0.limit = 2
    }
    #expect(
      statement.text
        == "SELECT * FROM (SELECT DISTINCT t0.\"note\", t0.\"size\" FROM \"Part\" AS t0) AS d(c0, c1) "
        + "ORDER BY d.c0 COLLATE \"C\" NULLS FIRST LIMIT $1::bigint"
    )
  }
}
#endif
