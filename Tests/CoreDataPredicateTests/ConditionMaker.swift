// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

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
    let selectors = ["isKindOfClass:", "like:", "UTI-CONFORMS-TO", "UTI-EQUALS", "TOKENMATCHES"]
    return Comparison(
      term(depth),
      relation,
      term(depth),
      modifier: dice.pick([.direct, .direct, .all, .any]),
      options: TextOptions(rawValue: UInt.random(in: 0..<16, using: &dice)),
      selector: relation == .customSelector ? dice.pick(selectors) : nil
    )
  }

  mutating func term(_ depth: Int) -> Term {
    guard depth > 0 else { return leaf() }
    switch Int.random(in: 0..<14, using: &dice) {
    case 0...1: return function(depth)
    case 2: return .aggregate(terms(0...3, depth))
    case 3: return .subquery(term(depth - 1), variable: variable(), condition(depth - 1))
    case 4:
      let operation = dice.pick([Term.SetOperation.union, .intersect, .minus])
      return .setOperation(operation, term(depth - 1), term(depth - 1))
    case 5: return .ternary(condition(depth - 1), term(depth - 1), term(depth - 1))
    case 6...7: return term(depth - 1).appending(path())
    case 8:
      return .function(.element, [term(depth - 1), index(depth)])
    case 9:
      let selector = dice.pick(["length", "valueForKey:", "a:b:c:", "it's \"it\""])
      return .message(selector, to: term(depth - 1), terms(0...3, depth))
    case 10: return .assignment(variable(), term(depth - 1))
    case 11:
      let isCount = Bool.random(using: &dice)
      return .fetch(term(depth - 1), context: term(depth - 1), countOnly: isCount)
    default: return leaf()
    }
  }

  private mutating func terms(_ count: ClosedRange<Int>, _ depth: Int) -> [Term] {
    (0..<Int.random(in: count, using: &dice)).map { _ in term(depth - 1) }
  }

  /// Any function of the language, operators and casts included.
  private mutating func function(_ depth: Int) -> Term {
    let function = dice.pick(Function.allCases)
    if function == .cast {
      // A cast of a constant to a date is a date.
      let type = dice.pick(["NSString", "NSDecimalNumber", "NSDate"])
      return .function(.cast, [.keyPath(path()), .constant(Constant(.text(type)))])
    }
    return .function(function, (0..<function.arity).map { _ in term(depth - 1) })
  }

  private mutating func index(_ depth: Int) -> Term {
    dice.pick([
      .symbolicIndex(.first), .symbolicIndex(.last), .symbolicIndex(.size), .keyPath("size"),
      .keyPath("Last"), .constant(Constant(.int(-1))), term(depth - 1),
    ])
  }

  private mutating func leaf() -> Term {
    switch Int.random(in: 0..<8, using: &dice) {
    case 0: .evaluatedObject
    case 1: .variable(variable())
    case 2...3: .keyPath(path())
    case 4: .anyKey
    default: .constant(Constant(value(2)))
    }
  }

  private mutating func variable() -> String {
    dice.pick(["x", "START_DATE", "_1", "größe", "in"])
  }

  private mutating func path() -> String {
    (0..<Int.random(in: 1...3, using: &dice)).map { _ in key() }.joined(separator: ".")
  }

  private mutating func key() -> String {
    dice.pick([
      "name", "größe", "@count", "@distinctUnionOfObjects", "_a1", "in", "Like", "self", "any",
      "size", "subquery", "cast", "union", "random", "nil", "UTI", "e5", "日本", "a b", "1st",
      "it's \"so\" \\", "a==b OR c", "#self", "@",
    ])
  }

  private mutating func value(_ depth: Int) -> Value {
    if depth > 0, Int.random(in: 0..<8, using: &dice) == 0 {
      let members = (0..<Int.random(in: 0...3, using: &dice)).map { _ in value(depth - 1) }
      return .collection(ValueCollection(.array, members))
    }
    return dice.pick([
      .null, .bool(true), .bool(false), .int(0), .int(-42), .int(.max), .int(.min), .int(.max - 1),
      .double(0.1), .double(-3.5e38), .double(1e-9), .double(7), .double(-0.0), .double(1e15),
      .double(9.223372036854775807e18), .double(.greatestFiniteMagnitude),
      .double(.leastNonzeroMagnitude), .double(.infinity), .double(-.infinity), .double(.nan),
      .text(""), .text("it's \"quoted\" \\ \r\n\t end"), .text("größe"), .text("%@ $x #a"),
      .text("e\u{301}\u{0}\u{7F}😀"), .text("inf"), .text("NSDate"), .date(0),
      .date(721_692_800.25), .date(-5), .date(1e300), .date(.infinity), .decimal(3),
      .decimal(Decimal(string: "12.34") ?? 0), .decimal(.nan), .decimal(-0.001),
      .decimal(Decimal(string: "3.14159265358979323846264338327950288419") ?? 0),
      .decimal(.greatestFiniteMagnitude), .decimal(Decimal(string: "1e-100") ?? 0),
    ])
  }
}
