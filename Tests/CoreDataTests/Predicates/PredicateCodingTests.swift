// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Documented behaviour of predicates, expressions and sort descriptors in archives.
@Suite struct PredicateCodingTests {
  private func roundTrip<Object: NSObject & NSCoding>(_ object: Object) throws -> Object? {
    let data = try NSKeyedArchiver.archivedData(withRootObject: object, requiringSecureCoding: true)
    return try NSKeyedUnarchiver.unarchivedObject(ofClass: Object.self, from: data)
  }

  @Test func `Predicates come through a secure archive and are allowed before they are evaluated`()
    throws
  {
    for format in [
      "wins > 3", "name == 'Ann' OR NOT ANY tags IN {'a', 'b'}", "TRUEPREDICATE", "FALSEPREDICATE",
      "SUBQUERY(tags, $t, $t == 'a').@count > 0", "sum(list) == 6 AND wins BETWEEN {1, 9}",
      "TERNARY(wins > 3, name, 'x') MATCHES 'A.*'", "when > CAST(12, 'NSDate')",
    ] {
      let predicate = NSPredicate(format: format)
      let read = try #require(try roundTrip(predicate))
      #expect(read == predicate, "\(format)")
      read.allowEvaluation()
      let row: [String: Any] = [
        "wins": 5, "name": "Ann", "tags": ["a"], "list": [1, 2, 3], "when": Date(),
      ]
      #expect(read.evaluate(with: row) == predicate.evaluate(with: row), "\(format)")
    }
  }

  @Test func `A predicate from a secure archive is not evaluated before it is allowed`() async {
    await #expect(processExitsWith: .failure) {
      let predicate = NSPredicate(format: "wins > 3")
      let data = try NSKeyedArchiver.archivedData(
        withRootObject: predicate,
        requiringSecureCoding: true
      )
      let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
      _ = read?.evaluate(with: ["wins": 4])
    }
  }

  @Test func `The archive has Apple's class names and keys`() throws {
    let predicate = NSPredicate(format: "length >= 3 AND name == 'x'")
    let data = try predicate.archived()
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
    #expect(read == predicate)
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    let objects = try #require((list as? [String: Any])?["$objects"] as? [Any])
    let names = Set(objects.compactMap { ($0 as? [String: Any])?["$classname"] as? String })
    #expect(
      names.isSuperset(of: [
        "NSCompoundPredicate", "NSComparisonPredicate", "NSComparisonPredicateOperator",
        "NSEqualityPredicateOperator", "NSKeyPathExpression", "NSKeyPathSpecifierExpression",
        "NSSelfExpression", "NSConstantValueExpression",
      ]),
      "\(names)"
    )
    let keys = Set(objects.compactMap { ($0 as? [String: Any])?.keys }.joined())
    #expect(keys.isSuperset(of: ["NSLeftExpression", "NSPredicateOperator", "NSKeyPath"]))
  }

  @Test func `Expressions and sort descriptors come through an archive`() throws {
    let expression = NSExpression(format: "max(wins) + $x.a - {1, b}[FIRST]")
    #expect(try roundTrip(expression) == expression)
    let sort = NSSortDescriptor(
      key: "name",
      ascending: false,
      selector: "localizedStandardCompare:"
    )
    let read = try #require(try roundTrip(sort))
    #expect(read == sort)
    read.allowEvaluation()
    #expect(read.compare(["name": "a"], to: ["name": "b"]) == .orderedDescending)
  }

  @Test func `Archives of strangers are read without Foundation's help`() throws {
    let predicate = NSPredicate(format: "name == 'Ann' OR wins IN {1, 2}")
    let read = try NSPredicate(archive: predicate.archived())
    #expect(read == predicate)
    let other = try NSKeyedArchiver.archivedData(withRootObject: "x", requiringSecureCoding: true)
    #expect(throws: (any Error).self) { try NSPredicate(archive: other) }
    #expect(throws: (any Error).self) { try NSPredicate(archive: Data([1, 2, 3])) }
  }

  @Test func `Foundation's own predicates are archived too`() throws {
    let own: NSCompoundPredicate = .init(orPredicateWithSubpredicates: [
      NSPredicate(value: true), NSPredicate(format: "a == 1"),
    ])
    let holder = NSCompoundPredicate(notPredicateWithSubpredicate: own)
    #expect(try roundTrip(holder)?.canonicalFormat == "NOT (TRUEPREDICATE OR a == 1)")
  }

  @Test func `Blocks cannot be archived`() async {
    let tree = NSPredicate(format: "a == 1 AND %@", argumentArray: [NSPredicate { _, _ in true }])
    #expect(throws: (any Error).self) { try tree.archived() }
    await #expect(processExitsWith: .failure) {
      let block = NSPredicate(
        format: "a == 1 AND %@",
        argumentArray: [NSPredicate { _, _ in true }]
      )
      _ = try NSKeyedArchiver.archivedData(withRootObject: block, requiringSecureCoding: true)
    }
  }
}
