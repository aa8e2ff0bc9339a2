// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Foundation
import PredicateCases
import Testing

/// A generator whose runs repeat.
struct Dice: RandomNumberGenerator {
  private var state: UInt64
  init(_ seed: UInt64) { state = seed }
  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
  mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[Int.random(in: 0..<elements.count, using: &self)]
  }
}

/// Random conditions of every kind the format language can write.
struct ConditionMaker {
  var dice: Dice

  mutating func condition(_ depth: Int) -> Condition {
    switch Int.random(in: 0..<(depth > 0 ? 8 : 4), using: &dice) {
    case 0: .constant(Bool.random(using: &dice))
    case 1...4: .comparison(comparison(depth))
    case 5: .and(members(depth - 1))
    case 6: .or(members(depth - 1))
    default: .not(condition(depth - 1))
    }
  }

  private mutating func members(_ depth: Int) -> [Condition] {
    (0..<Int.random(in: 2...4, using: &dice)).map { _ in condition(depth) }
  }

  private mutating func comparison(_ depth: Int) -> Comparison {
    let relation = dice.pick(Relation.allCases)
    return Comparison(
      term(depth),
      relation,
      term(depth),
      modifier: dice.pick([.direct, .direct, .all, .any]),
      options: TextOptions(rawValue: dice.pick([0, 0, 1, 2, 3, 4, 8, 11])),
      selector: relation == .customSelector ? "isKindOfClass:" : nil
    )
  }

  mutating func term(_ depth: Int) -> Term {
    guard depth > 0 else { return leaf() }
    switch Int.random(in: 0..<13, using: &dice) {
    case 0:
      let selector = dice.pick(["add:to:", "from:subtract:", "raise:toPower:", "bitwiseAnd:with:"])
      return .function(selector, [term(depth - 1), term(depth - 1)], operand: nil)
    case 1: return .function("onesComplement:", [term(depth - 1)], operand: nil)
    case 2: return .function("sum:", [term(depth - 1)], operand: nil)
    case 3: return .function("modulus:by:", [term(depth - 1), term(depth - 1)], operand: nil)
    case 4: return .aggregate((0..<3).map { _ in term(depth - 1) })
    case 5: return .subquery(term(depth - 1), variable: "x", condition(depth - 1))
    case 6: return .setOperation(dice.pick([.union, .intersect, .minus]), term(depth - 1), leaf())
    case 7: return .ternary(condition(depth - 1), term(depth - 1), leaf())
    case 8: return term(depth - 1).appending(key())
    case 9:
      let index: Term = dice.pick([
        .symbolicIndex(.first), .symbolicIndex(.size), .keyPath("size"), term(depth - 1),
      ])
      return .function("objectFrom:withIndex:", [term(depth - 1), index], operand: nil)
    case 10: return .function("length", [], operand: term(depth - 1))
    case 11: return .assignment("y", term(depth - 1))
    default: return leaf()
    }
  }

  private mutating func leaf() -> Term {
    switch Int.random(in: 0..<6, using: &dice) {
    case 0: .evaluatedObject
    case 1: .variable(dice.pick(["x", "START_DATE"]))
    case 2: .keyPath(key() + "." + key())
    case 3: .keyPath(key())
    default: .constant(Constant(value()))
    }
  }

  private mutating func key() -> String {
    dice.pick(["name", "in", "größe", "@count", "size", "self", "any", "_a1", "Like"])
  }

  private mutating func value() -> Value {
    dice.pick([
      .null, .bool(true), .int(0), .int(-42), .int(.max), .double(0.1), .double(-3.5e38),
      .double(1e-9), .double(7), .text(""), .text("it's \"quoted\" \\ \n end"), .text("größe"),
      .date(0), .date(721_692_800.25), .date(-5), .decimal(3),
    ])
  }
}

@Suite struct FormatLawTests {
  @Test func `Printing and parsing gives the same condition`() throws {
    var maker = ConditionMaker(dice: Dice(7))
    for _ in 0..<3000 {
      let condition = maker.condition(3)
      let format = condition.format
      let parsed = try? Condition(format: format)
      #expect(parsed == condition, "\(format)\n\(parsed?.format ?? "")")
      if parsed != condition { break }
    }
  }

  @Test func `A prepared condition answers as the plain one does`() throws {
    var maker = ConditionMaker(dice: Dice(11))
    let object = SampleObject("o", entity: "Sample")
    object.set("name", .text("größe"))
    object.set("size", .int(7))
    object.set("any", .collection(ValueCollection(.set, [.int(0), .text(""), .null])))
    for _ in 0..<3000 {
      let condition = maker.condition(2)
      let plain = try? condition.evaluate(with: .object(object), variables: ["x": .int(7)])
      let prepared = try? PreparedCondition(condition).holds(
        for: .object(object),
        variables: ["x": .int(7)]
      )
      #expect(plain == prepared, "\(condition.format)")
    }
  }

  @Test func `Broken formats are refused or parsed, never worse`() {
    var maker = ConditionMaker(dice: Dice(3))
    let pieces = [
      "(", ")", "{", "'", "\"", "%@", "%K", "%", "AND", " == ", "[c]", "$", ".", "\\", "é",
    ]
    for _ in 0..<2000 {
      var format = Array(maker.condition(2).format)
      for _ in 0..<3 {
        let at = Int.random(in: 0...format.count, using: &maker.dice)
        format.insert(contentsOf: maker.dice.pick(pieces), at: at)
        if Bool.random(using: &maker.dice) { format.removeFirst() }
      }
      do {
        _ = try Condition(format: String(format), arguments: [.value(.int(1))])
      } catch let error as FormatError {
        #expect(error.range.upperBound <= error.format.utf8.count)
        #expect(!error.debugDescription.isEmpty)
      } catch {
        Issue.record("\(error)")
      }
    }
  }

  @Test func `Formats that nest without end are refused`() {
    let deep = String(repeating: "(", count: 100_000) + "1 == 1"
    #expect(throws: FormatError.self) { try Condition(format: deep) }
    let long = String(repeating: "NOT ", count: 100_000) + "1 == 1"
    #expect(throws: FormatError.self) { try Condition(format: long) }
    let chain = "1 == 1" + String(repeating: " + 1", count: 100_000)
    #expect(throws: FormatError.self) { try Condition(format: chain) }
  }

  @Test func `An error shows the place and the nearest word`() throws {
    let error = try #require(throws: FormatError.self) {
      try Condition(format: "name CONATINS 'a'")
    }
    #expect(
      error.debugDescription == """
        Expected an operator, found CONATINS; did you mean CONTAINS?
        name CONATINS 'a'
             ^~~~~~~~
        """
    )
    #expect(error.position == 5)
  }

  @Test func `Variables are replaced outside the subqueries that bind them`() throws {
    let condition = try Condition(format: "a == $x AND SUBQUERY(b, $x, $x > $y).@count > 0")
    let result = try condition.substituting(["x": .int(1), "y": .text("z")])
    #expect(result.format == "a == 1 AND SUBQUERY(b, $x, $x > \"z\").@count > 0")
    #expect(throws: EvaluationError.self) { try condition.substituting(["x": .int(1)]) }
  }
}
