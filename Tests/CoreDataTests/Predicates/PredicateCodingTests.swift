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

  /// A predicate from a secure archive, not allowed yet.
  private static func read(_ format: String) throws -> NSPredicate {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: NSPredicate(format: format),
      requiringSecureCoding: true
    )
    return try #require(
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: data)
    )
  }

  @Test func `A copy with its variables replaced is not evaluated before it is allowed`() async {
    await #expect(processExitsWith: .failure) {
      let read = try Self.read("wins > $least").withSubstitutionVariables(["least": 3])
      _ = read.evaluate(with: ["wins": 4])
    }
    await #expect(processExitsWith: .success) {
      let read = try Self.read("wins > $least")
      let copy = read.withSubstitutionVariables(["least": 3])
      copy.allowEvaluation()
      if !copy.evaluate(with: ["wins": 4]) { exit(1) }
      read.allowEvaluation()
      let second = read.withSubstitutionVariables(["least": 5])
      if second.evaluate(with: ["wins": 4]) { exit(1) }
    }
  }

  @Test func `Parts of a predicate from a secure archive are not evaluated before it is allowed`()
    async
  {
    await #expect(processExitsWith: .failure) {
      let read = try Self.read("wins > 3 AND wins < 9") as? NSCompoundPredicate
      _ = read?.subpredicates.first?.evaluate(with: ["wins": 4])
    }
    await #expect(processExitsWith: .failure) {
      let read = try Self.read("wins + 1 > 3") as? NSComparisonPredicate
      _ = read?.leftExpression.expressionValue(with: ["wins": 4], context: nil)
    }
    await #expect(processExitsWith: .failure) {
      let read = try Self.read("wins > 3 + wins") as? NSComparisonPredicate
      let argument = read?.rightExpression.arguments?.last
      _ = argument?.expressionValue(with: ["wins": 4], context: nil)
    }
    await #expect(processExitsWith: .failure) {
      let read = try Self.read("SUBQUERY(tags, $t, $t == 'a').@count > 0") as? NSComparisonPredicate
      var expression = read?.leftExpression
      while expression?.expressionType == .function { expression = expression?.operand }
      _ = expression?.predicate.evaluate(with: [:], substitutionVariables: ["t": "a"])
    }
    await #expect(processExitsWith: .failure) {
      // A predicate made of a part is not allowed either.
      let read = try Self.read("wins > 3")
      let whole = NSCompoundPredicate(andPredicateWithSubpredicates: [read])
      _ = [["wins": 4]].filtered(using: whole)
    }
    await #expect(processExitsWith: .failure) {
      let part = try Self.read("wins + 1 > 3") as? NSComparisonPredicate
      let left = try #require(part?.leftExpression)
      let whole = NSComparisonPredicate(
        leftExpression: left,
        rightExpression: NSExpression(forConstantValue: 3),
        modifier: .direct,
        type: .greaterThan
      )
      _ = whole.evaluate(with: ["wins": 4])
    }
  }

  @Test func `Allowing a predicate allows its parts, and allowing a part allows only that part`()
    async throws
  {
    await #expect(processExitsWith: .success) {
      let read = try #require(try Self.read("wins + 1 > 3 AND wins < 9") as? NSCompoundPredicate)
      let parts = read.subpredicates.compactMap { $0 as? NSComparisonPredicate }
      let left = try #require(parts.first?.leftExpression)
      read.allowEvaluation()
      if parts.count != 2 || !parts.allSatisfy({ $0.evaluate(with: ["wins": 4]) }) { exit(1) }
      let value = left.expressionValue(with: ["wins": 4], context: nil) as? NSNumber
      if value?.intValue != 5 { exit(1) }
      if !read.subpredicates.allSatisfy({ $0.evaluate(with: ["wins": 4]) }) { exit(1) }
    }
    await #expect(processExitsWith: .failure) {
      let read = try #require(try Self.read("wins > 3 AND wins < 9") as? NSCompoundPredicate)
      for part in read.subpredicates { part.allowEvaluation() }
      let first = read.subpredicates.first
      if first?.evaluate(with: ["wins": 4]) != true { exit(0) }
      _ = read.evaluate(with: ["wins": 4])
    }
  }

  @Test func `What archived() writes has Apple's class names and keys`() throws {
    let predicate = NSPredicate(format: "length >= 3 AND name == 'x'")
    let data = try predicate.archived()
    #expect(try NSPredicate(archive: data) == predicate)
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

  @Test func `Many predicates, expressions and sort descriptors share an archive`() throws {
    let objects: [NSObject] = (0..<200).flatMap { number in
      [
        NSPredicate(format: "wins > %d", number), NSExpression(format: "wins + %d", number),
        NSSortDescriptor(key: "key\(number)", ascending: number % 2 == 0),
      ]
    }
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: NSArray(array: objects),
      requiringSecureCoding: true
    )
    let classes = [NSArray.self, NSPredicate.self, NSExpression.self, NSSortDescriptor.self]
    let read = try NSKeyedUnarchiver.unarchivedObject(ofClasses: classes, from: data)
    #expect(read as? [NSObject] == objects)
  }

  @Test func `An archive without a predicate in it is refused with an error`() throws {
    let data = try NSKeyedArchiver.archivedData(
      withRootObject: NSPredicate(format: "wins > 3"),
      requiringSecureCoding: true
    )
    let list = try PropertyListSerialization.propertyList(from: data, format: nil)
    var archive = try #require(list as? [String: Any])
    let objects = try #require(archive["$objects"] as? [Any])
    archive["$objects"] = objects.map { object -> Any in
      guard var fields = object as? [String: Any], fields["NSPredicateArchive"] != nil else {
        return object
      }
      fields["NSPredicateArchive"] = Data([1, 2, 3])
      return fields
    }
    let damaged = try PropertyListSerialization.data(
      fromPropertyList: archive,
      format: .binary,
      options: 0
    )
    #expect(damaged != data)
    #expect(throws: (any Error).self) {
      try NSKeyedUnarchiver.unarchivedObject(ofClass: NSPredicate.self, from: damaged)
    }
  }

  @Test func `Fetch expressions come through an archive`() throws {
    let expression = NSFetchRequestExpression.expression(
      forFetch: NSExpression(forVariable: "request"),
      context: NSExpression(forVariable: "context"),
      countOnly: true
    )
    let read = try #require(try roundTrip(expression) as? NSFetchRequestExpression)
    #expect(read == expression)
    #expect(read.isCountOnlyRequest)
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
