// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Predicates in keyed archives.
@Suite struct PredicateArchiveTests {
  private let formats = [
    "TRUEPREDICATE", "FALSEPREDICATE", "name == 'Ann' AND NOT (wins > 3 OR wins == nil)",
    "ANY tags.name CONTAINS[cd] 'x'", "ALL players.age BETWEEN {1, 2.5}", "$x.a.b LIKE[c] '?'",
    "SUBQUERY(players, $p, $p.age > 3).@count == 0", "a UNION b == c MINUS d",
    "TERNARY(a == 1, b, c) == 2 + d * 3", "list[FIRST] == list[2]", "SELF MATCHES '.*'",
    "CAST(4, 'NSDate') == now()", "FUNCTION(a, 'valueForKey:', 'b') == 1",
    "SELF isKindOfClass: 'a'",
    "($y := 4) == 4", "name BEGINSWITH[n] 'x' OR name ENDSWITH[l] 'y'", "a IN {}", "ANYKEY == 2",
  ]

  @Test func `What is archived reads back as an equal predicate`() throws {
    for format in formats {
      let condition = try Condition(format: format)
      let read = try PredicateArchive.condition(PredicateArchive.data(condition))
      #expect(read == condition, "\(format): \(read.format)")
    }
  }

  @Test(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
  func `Formats from real projects come through an archive`() throws {
    let rows = try SharedCase.all("wild.tsv") {
      $0["expect"] == "parse-ok" && $0["kind"] != "expr" && !$0.format.contains("mgl_")
    }
    var count = 0
    for row in rows {
      let condition = try Condition(format: row.format, arguments: try row.arguments())
      guard let data = try? PredicateArchive.data(condition) else { continue }
      count += 1
      #expect(try PredicateArchive.condition(data) == condition, "\(row.id) \(row.format)")
    }
    #expect(count > rows.count / 2)
  }

  @Test func `Constants of every kind come through an archive`() throws {
    let values: [Value] = [
      .null, .bool(true), .int(.min), .double(0.1),
      .decimal(Decimal(string: "-12345678901.25") ?? 0),
      .text("é"), .date(12.5), .data(Data([1, 2])), .uuid(UUID()), .dictionary(["a": .int(1)]),
      URL(string: "https://a.example/b").map(Value.url) ?? .null,
      .collection(ValueCollection(.set, [.int(1), .text("b")])),
      .collection(ValueCollection(.orderedSet, [.null])),
    ]
    for value in values {
      let condition = Condition.comparison(
        Comparison(.keyPath("a"), .equal, .constant(Constant(value)))
      )
      #expect(try PredicateArchive.condition(PredicateArchive.data(condition)) == condition)
    }
  }

  @Test func `Blocks and objects have no archived form`() {
    #expect(throws: ArchiveError.self) {
      try PredicateArchive.data(.not(.opaque(OpaqueCondition { _, _ in true })))
    }
    let key = Term.constant(Constant(.opaque(self)))
    #expect(throws: ArchiveError.self) {
      try PredicateArchive.data(.comparison(Comparison(.keyPath("a"), .equal, key)))
    }
  }

  @Test func `A managed object inside a list is named as what cannot be archived`() throws {
    let key = try #require(ObjectKey(store: 0, entity: 0, number: 1))
    let list = Value.collection(ValueCollection(.array, [.int(1), .key(key)]))
    let error = #expect(throws: ArchiveError.self) {
      try PredicateArchive.data(Term.constant(Constant(list)))
    }
    #expect(error?.message.hasPrefix("An object ID in a predicate or expression") == true)
  }

  @Test func `A part that is missing or unknown is named by its field and its value`() throws {
    func message(_ className: String, _ fields: [String: PropertyListNode]) -> String {
      var builder = KeyedArchiveBuilder()
      var fields = fields
      if fields["NSSubpredicates"] == nil { fields["NSSubpredicates"] = builder.array(.array, []) }
      let root = builder.object(ArchivedClass(name: className, ancestors: []), fields)
      let data = builder.data(root: root)
      let error = #expect(throws: ArchiveError.self) { try PredicateArchive.condition(data) }
      return error?.message ?? ""
    }
    #expect(
      message("NSCompoundPredicate", ["NSCompoundPredicateType": .integer(7)])
        == "An archived compound predicate has the type 7; expected 0 (NOT), 1 (AND) or 2 (OR)"
    )
    #expect(
      message("NSCompoundPredicate", ["NSCompoundPredicateType": .integer(0)])
        == "An archived NOT predicate has no subpredicate"
    )
    #expect(
      message("NSComparisonPredicate", [:])
        == "An archived NSComparisonPredicate has no operator in the field “NSPredicateOperator”"
    )
    #expect(message("NSWindow", [:]) == "NSWindow is not a supported predicate class")
  }

  @Test func `Damaged archives are refused, every one of them`() throws {
    let data = try PredicateArchive.data(Condition(format: formats[6] + " AND " + formats[2]))
    var refused = 0
    for index in data.indices {
      for bit in [UInt8(1), 0x10, 0x80] {
        var damaged = data
        damaged[index] ^= bit
        // What matters is that it ends; some damage leaves another well-formed predicate.
        if (try? PredicateArchive.condition(damaged)) == nil { refused += 1 }
      }
    }
    #expect(refused > data.count)
    for count in 0..<data.count {
      #expect(throws: (any Error).self) { try PredicateArchive.condition(data.prefix(count)) }
    }
  }

  @Test func `Archives that hold themselves, or grow without end, are refused`() throws {
    for fanOut in [1, 12] {
      var builder = KeyedArchiveBuilder()
      let root = builder.reserve()
      let members = PropertyListNode.array(Array(repeating: root, count: fanOut))
      let array = builder.object(.array, ["NS.objects": members])
      builder.define(
        root,
        ArchivedClass(name: "NSCompoundPredicate", ancestors: ["NSPredicate"]),
        ["NSCompoundPredicateType": .integer(1), "NSSubpredicates": array]
      )
      let data = builder.data(root: root)
      #expect(throws: ArchiveError.self) { try PredicateArchive.condition(data) }
    }
    var deep = Condition.constant(true)
    for _ in 0..<300 { deep = .not(deep) }
    let archived = try PredicateArchive.data(deep)
    #expect(throws: ArchiveError.self) { try PredicateArchive.condition(archived) }
  }

  @Test func `Unknown functions are refused when they are read`() throws {
    // A message to the class of the known functions, which archives name in this way.
    let utilities = Term.constant(Constant(.text("_NSPredicateUtilities")))
    let term = Term.message("launch:", to: utilities, [.constant(Constant(.int(1)))])
    let data = try PredicateArchive.data(.comparison(Comparison(term, .equal, .evaluatedObject)))
    #expect(throws: ArchiveError.self) { try PredicateArchive.condition(data) }
  }
}
