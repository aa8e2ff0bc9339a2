// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

@Suite("Conditions as SQL of PostgreSQL")
struct PostgresConditionTests {
  struct Case: CustomTestStringConvertible {
    let format: String
    let text: String
    let bindings: [Binding]
    init(_ format: String, _ text: String, _ bindings: [Binding] = []) {
      self.format = format
      self.text = text
      self.bindings = bindings
    }
    var testDescription: String { format }
  }

  private func check(_ given: Case, _ entity: String = "Part") throws {
    let made = try ServerLibrary().condition(entity, given.format)
    #expect(made.text == given.text)
    #expect(made.bindings == given.bindings)
  }

  @Test(
    "Values are numbered parameters with their types, and texts compare by their bytes",
    arguments: [
      Case("note == nil", "t0.\"note\" IS NULL"),
      Case("note == 'a'", "t0.\"note\" = $1::text", [.text("a")]),
      Case("note != 'a'", "t0.\"note\" IS DISTINCT FROM $1::text", [.text("a")]),
      Case("NOT note == 'a'", "((t0.\"note\" = $1::text) IS NOT TRUE)", [.text("a")]),
      Case("note > 'a'", "t0.\"note\" COLLATE \"C\" > $1::text", [.text("a")]),
      Case(
        "note == 'a' AND size > 1",
        "(t0.\"note\" = $1::text AND t0.\"size\" > $2::bigint)",
        [.text("a"), .integer(1)]
      ),
      Case("item == nil", "t0.\"item\" IS NULL"),
      Case("item.name == 'A'", "t1.\"name\" = $1::text", [.text("A")]),
      Case("TRUEPREDICATE", "SELECT COUNT(*) FROM \"Part\" AS t0"),
      Case("FALSEPREDICATE", "FALSE"),
      Case("note BEGINSWITH ''", "FALSE"),
      Case("note == note", "t0.\"note\" COLLATE \"C\" IS NOT DISTINCT FROM t0.\"note\""),
    ]
  )
  func parameters(_ given: Case) throws { try check(given) }

  @Test(
    "An integer compares exactly with any number",
    arguments: [
      Case("size == 2.0", "t0.\"size\" = $1::bigint", [.integer(2)]),
      Case("size == 2.5", "FALSE"),
      Case("size != 2.5", "SELECT COUNT(*) FROM \"Part\" AS t0"),
      Case("size < 2.5", "t0.\"size\" <= $1::bigint", [.integer(2)]),
      Case("size >= 2.5", "t0.\"size\" > $1::bigint", [.integer(2)]),
      Case("size <= -2.5", "t0.\"size\" <= $1::bigint", [.integer(-3)]),
      Case("size < 1e30", "t0.\"size\" IS NOT NULL"),
      Case("size > 1e30", "FALSE"),
      Case(
        "size IN {1, 2.5, 3}",
        "t0.\"size\" = ANY($1::bigint[])",
        [.converted("{1,3}", .integers)]
      ),
      Case("size IN {2.5}", "FALSE"),
      Case("size IN {1, nil}", "(t0.\"size\" = $1::bigint OR t0.\"size\" IS NULL)", [.integer(1)]),
      Case("isSpare == YES", "t0.\"isSpare\" = $1::boolean", [.converted("true", .boolean)]),
      Case("isSpare == 2", "FALSE"),
      Case("isSpare < 1", "t0.\"isSpare\"::integer < $1::bigint", [.integer(1)]),
    ]
  )
  func integers(_ given: Case) throws { try check(given) }

  @Test(
    "A floating-point number compares with the integers beside it, and a decimal exactly",
    arguments: [
      Case("weight > 1", "t0.\"weight\" > $1::double precision", [.double(1)]),
      Case(
        "weight < 9007199254740993",
        "t0.\"weight\" <= $1::double precision",
        [.double(9_007_199_254_740_992)]
      ),
      Case("weight == 9007199254740993", "FALSE"),
      Case("weight != 9007199254740993", "SELECT COUNT(*) FROM \"Item\" AS t0"),
      Case("price == 2", "t0.\"price\" = $1::numeric", [.converted("2", .numeric)]),
      Case(
        "price > 0.1",
        "t0.\"price\"::double precision > $1::double precision",
        [.double(0.1)]
      ),
      Case("price == weight", "t0.\"price\"::double precision IS NOT DISTINCT FROM t0.\"weight\""),
    ]
  )
  func numbers(_ given: Case) throws { try check(given, "Item") }

  @Test("NaN as a constant equals nothing and has no order, and a decimal NaN is above all numbers")
  func notANumber() throws {
    let library = try ServerLibrary()
    func condition(_ keyPath: String, _ relation: Relation, _ value: Value) throws -> String {
      var description = try library.fetch("Item")
      description.condition = .comparison(
        Comparison(.keyPath(keyPath), relation, .constant(Constant(value)))
      )
      description.shape = .count
      return String(
        try library.planner.plan(description).statement.text.split(separator: " AS t0").last ?? ""
      )
    }
    for keyPath in ["weight", "count", "price", "isDone"] {
      #expect(try condition(keyPath, .equal, .double(.nan)) == " WHERE FALSE")
      #expect(try condition(keyPath, .lessThan, .double(.nan)) == " WHERE FALSE")
    }
    #expect(try condition("count", .lessThan, .decimal(.nan)) == " WHERE t0.\"count\" IS NOT NULL")
    #expect(try condition("weight", .greaterThan, .decimal(.nan)) == " WHERE FALSE")
    #expect(try condition("price", .equal, .decimal(.nan)) == " WHERE t0.\"price\" = $1::numeric")
  }

  @Test(
    "Text operators are ranges, positions and patterns",
    arguments: [
      Case(
        "note BEGINSWITH 'ab'",
        "(t0.\"note\" COLLATE \"C\" >= $1::text AND t0.\"note\" COLLATE \"C\" < $2::text)",
        [.text("ab"), .text("ac")]
      ),
      Case("note CONTAINS 'a%'", "strpos(t0.\"note\", $1::text) > 0", [.text("a%")]),
      Case("note ENDSWITH '😀a'", "right(t0.\"note\", 2) = $1::text", [.text("😀a")]),
      Case("note LIKE 'a'", "t0.\"note\" = $1::text", [.text("a")]),
      Case(
        "note LIKE 'a*'",
        "(t0.\"note\" COLLATE \"C\" >= $1::text AND t0.\"note\" COLLATE \"C\" < $2::text)",
        [.text("a"), .text("b")]
      ),
      Case(
        "note LIKE '?_%*'",
        "t0.\"note\" COLLATE \"C\" LIKE $1::text",
        [.text("_\\_\\%%")]
      ),
      Case("note MATCHES 'abc'", "t0.\"note\" = $1::text", [.text("abc")]),
      Case(
        "note IN {'a', 'b\"'}",
        "t0.\"note\" = ANY($1::text[])",
        [.converted("{\"a\",\"b\\\"\"}", .texts)]
      ),
      Case(
        "note CONTAINS item.name",
        "(t1.\"name\" <> '' AND strpos(t0.\"note\", t1.\"name\") > 0)"
      ),
    ]
  )
  func texts(_ given: Case) throws { try check(given) }

  @Test(
    "To-many relationships are subselects",
    arguments: [
      Case(
        "parts.@count > 2",
        "(SELECT COUNT(*) FROM \"Part\" AS t1 WHERE t1.\"item\" = t0.z_pk) > $1::bigint",
        [.integer(2)]
      ),
      Case(
        "ANY parts.size > 2",
        "EXISTS (SELECT 1 FROM \"Part\" AS t1 WHERE t1.\"item\" = t0.z_pk "
          + "AND t1.\"size\" IS NOT NULL AND t1.\"size\" > $1::bigint)",
        [.integer(2)]
      ),
      Case(
        "parts.@max.note == 'a'",
        "(SELECT MAX(t1.\"note\" COLLATE \"C\") FROM \"Part\" AS t1 WHERE t1.\"item\" = t0.z_pk) = $1::text",
        [.text("a")]
      ),
      Case(
        "parts.@min.isSpare == NO",
        "(SELECT bool_and(t1.\"isSpare\") FROM \"Part\" AS t1 WHERE t1.\"item\" = t0.z_pk) = $1::boolean",
        [.converted("false", .boolean)]
      ),
      Case(
        "SUBQUERY(parts, $p, $p.size == count).@count == 1",
        "(SELECT COUNT(*) FROM \"Part\" AS t1 WHERE t1.\"item\" = t0.z_pk "
          + "AND (t1.\"size\" IS NOT DISTINCT FROM t0.\"count\")) = $1::bigint",
        [.integer(1)]
      ),
    ]
  )
  func members(_ given: Case) throws { try check(given, "Item") }

  @Test(
    "Arithmetic of integers gives a floating-point number where an integer would overflow",
    arguments: [
      Case(
        "count + 1 > 5",
        "CASE WHEN (CASE WHEN (t0.\"count\"::numeric + $1::bigint) BETWEEN -9223372036854775808 AND "
          + "9223372036854775807 THEN t0.\"count\" + $2::bigint END) IS NOT NULL THEN "
          + "(CASE WHEN (t0.\"count\"::numeric + $3::bigint) BETWEEN -9223372036854775808 AND "
          + "9223372036854775807 THEN t0.\"count\" + $4::bigint END) > $5::bigint ELSE "
          + "(t0.\"count\"::double precision + $6::double precision) > $7::double precision END",
        [
          .integer(1), .integer(1), .integer(1), .integer(1), .integer(5), .double(1), .double(5),
        ]
      ),
      Case(
        "count / 2 == 1",
        "(t0.\"count\" / $1::bigint) = $2::bigint",
        [.integer(2), .integer(1)]
      ),
      Case(
        "modulus:by:(count, 3) == 1",
        "(t0.\"count\" % NULLIF($1::bigint, 0)) = $2::bigint",
        [.integer(3), .integer(1)]
      ),
      Case(
        "weight + 1.5 > 2",
        "(t0.\"weight\" + $1::double precision) > $2::double precision",
        [.double(1.5), .double(2)]
      ),
      Case(
        "sqrt(weight) > 2",
        "CASE WHEN t0.\"weight\" >= 0 THEN sqrt(t0.\"weight\") END > $1::double precision",
        [.double(2)]
      ),
    ]
  )
  func arithmetic(_ given: Case) throws { try check(given, "Item") }

  @Test(
    "What PostgreSQL cannot calculate as memory does is inexpressible",
    arguments: [
      ("Part", "note MATCHES 'a.*'"), ("Part", "note CONTAINS[c] 'a'"),
      ("Part", "uppercase(note) == 'A'"), ("Part", "note CONTAINS 'a' AND note LIKE[d] 'e'"),
      ("Item", "ln(weight) > 1"), ("Item", "weight ** 2 > 1"), ("Item", "price + 1 > 1"),
      ("Item", "weight / height > 1"), ("Item", "parts.@sum.size > 1"),
      ("Item", "parts.@avg.cost > 1"), ("Item", "TERNARY(isDone == YES, count, weight) == 1"),
    ]
  )
  func inexpressible(entity: String, format: String) throws {
    let library = try ServerLibrary()
    let error = #expect(throws: StoreError.self) { try library.condition(entity, format) }
    #expect(error?.code == .inexpressible)
  }

  @Test("A text with a null character equals no stored text, and is evaluated in memory elsewhere")
  func nullCharacter() throws {
    let library = try ServerLibrary()
    func plan(_ relation: Relation) throws -> String {
      var description = try library.fetch("Part")
      description.condition = .comparison(
        Comparison(.keyPath("note"), relation, .constant(Constant(.text("a\0"))))
      )
      return try library.planner.plan(description).statement.text
    }
    #expect(try plan(.equal).hasSuffix(" WHERE FALSE"))
    #expect(try plan(.contains).hasSuffix(" WHERE FALSE"))
    let error = #expect(throws: StoreError.self) { try plan(.lessThan) }
    #expect(error?.code == .inexpressible)
  }
}
#endif
