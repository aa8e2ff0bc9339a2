// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

private final class Song: NSObject {
  let title: String
  let plays: Int
  let released: Date?
  init(_ title: String, plays: Int, released: Date? = nil) {
    self.title = title
    self.plays = plays
    self.released = released
  }
}

/// Documented behaviour of NSPredicate, NSCompoundPredicate and NSComparisonPredicate.
@Suite struct PredicateTests {
  @Test func `A format takes Swift's and Foundation's values for its placeholders`() {
    let date = Date(timeIntervalSinceReferenceDate: 100)
    let id = UUID()
    let row: [String: Any] = [
      "name": "Ann", "wins": 3, "when": date, "id": id, "tags": ["a", "b"], "rate": 1.5,
    ]
    let predicates = [
      NSPredicate(format: "name == %@ AND wins == %d", "Ann", 3),
      NSPredicate(format: "when == %@", date),
      NSPredicate(format: "when >= %@", NSDate(timeIntervalSinceReferenceDate: 99)),
      NSPredicate(format: "id == %@", id as CVarArg),
      NSPredicate(format: "%K IN %@", "name", ["Ann", "Bob"]),
      NSPredicate(format: "wins IN %@", Set([1, 3])),
      NSPredicate(format: "wins == %@", NSNumber(value: 3)),
      NSPredicate(format: "rate > %f", 1.0),
      NSPredicate(format: "ANY tags == %@", argumentArray: ["b"]),
      NSPredicate(format: "other == %@", NSNull()),
      NSPredicate(format: "TRUEPREDICATE"),
    ]
    for predicate in predicates {
      #expect(predicate.evaluate(with: row), "\(predicate)")
    }
  }

  @Test func `A parsed predicate has the class that Apple's parser gives`() throws {
    let comparison = NSPredicate(format: "wins > 3")
    let parsed = try #require(comparison as? NSComparisonPredicate)
    #expect(parsed.predicateOperatorType == .greaterThan)
    #expect(parsed.leftExpression.keyPath == "wins")
    #expect(parsed.rightExpression.constantValue as? Int == 3)
    let compound = try #require(NSPredicate(format: "a == 1 OR b == 2") as? NSCompoundPredicate)
    #expect(compound.compoundPredicateType == .or)
    #expect(compound.subpredicates.count == 2)
  }

  @Test func `Operators and options have Apple's raw values`() {
    #expect(NSComparisonPredicate.Operator.contains.rawValue == 99)
    #expect(NSComparisonPredicate.Operator.between.rawValue == 100)
    #expect(NSComparisonPredicate.Options.normalized.rawValue == 4)
    #expect(NSExpression.ExpressionType.subquery.rawValue == 13)
    #expect(NSExpression.ExpressionType.conditional.rawValue == 20)
  }

  @Test func `A compound made in code evaluates its parsed members`() {
    let both = NSCompoundPredicate(andPredicateWithSubpredicates: [
      NSPredicate(format: "wins > 3"), NSPredicate(format: "name BEGINSWITH[c] 'a'"),
    ])
    #expect(both.evaluate(with: ["wins": 4, "name": "Ann"]))
    #expect(!both.evaluate(with: ["wins": 4, "name": "Bob"]))
    let nested = NSPredicate(format: "%@ OR wins == 0", argumentArray: [both])
    #expect(nested.evaluate(with: ["wins": 0, "name": "Bob"]))
    #expect(nested.description == "(wins > 3 AND name BEGINSWITH[c] \"a\") OR wins == 0")
  }

  @Test func `Constant and block predicates of Foundation nest in formats`() {
    let always = NSPredicate(format: "%@ AND wins == 1", argumentArray: [NSPredicate(value: true)])
    #expect(always.description == "TRUEPREDICATE AND wins == 1")
    let even = NSPredicate { object, _ in
      ((object as? [String: Any])?["wins"] as? Int ?? 1) % 2 == 0
    }
    let mixed = NSPredicate(format: "%@ AND wins > 1", argumentArray: [even])
    #expect(mixed.evaluate(with: ["wins": 4]))
    #expect(!mixed.evaluate(with: ["wins": 3]))
  }

  @Test func `Variables are bound by name, or replaced in a copy`() {
    let template = NSPredicate(format: "wins BETWEEN {$low, $high}")
    let bounds: [String: Any] = ["low": 1, "high": 5]
    #expect(template.evaluate(with: ["wins": 5], substitutionVariables: bounds))
    let bound = template.withSubstitutionVariables(bounds)
    #expect(bound.evaluate(with: ["wins": 5]))
    #expect(bound.description == "wins BETWEEN {1, 5}")
  }

  @Test func `Equal predicates are equal and hash alike`() {
    let left = NSPredicate(format: "name =[c] 'x' && a <> 1")
    let right = NSPredicate(format: "name ==[c] \"x\" AND a != 1")
    #expect(left == right)
    #expect(left.hash == right.hash)
    #expect(left != NSPredicate(format: "name == 'x' AND a != 1"))
    #expect(left.copy() as? NSPredicate == left)
  }

  @Test func `A format that may be wrong throws, with the place`() throws {
    let error = try #require(throws: PredicateFormatError.self) {
      try NSPredicate(validating: "name CONATINS %@", "x")
    }
    #expect(error.position == 5)
    #expect(error.suggestion == "CONTAINS")
    let good = try NSPredicate(validating: "name CONTAINS %@", "x")
    #expect(good.evaluate(with: ["name": "xyz"]))
  }

  @Test func `Arrays are filtered, plain objects by their stored properties`() {
    let songs = [Song("B", plays: 2), Song("A", plays: 9, released: Date()), Song("C", plays: 5)]
    let found = NSArray(array: songs).filtered(using: NSPredicate(format: "plays > 3"))
    #expect(found.compactMap { ($0 as? Song)?.title } == ["A", "C"])
    let unreleased = NSPredicate(format: "released == nil AND title != 'B'")
    #expect(songs.filter { unreleased.evaluate(with: $0) }.map(\.title) == ["C"])
  }

  @Test func `A wrong format stops the program with Apple's words`() async {
    await #expect(processExitsWith: .failure) { _ = NSPredicate(format: "name CONATINS 'x'") }
  }
}
