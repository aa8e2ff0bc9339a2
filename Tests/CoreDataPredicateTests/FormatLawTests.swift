// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

@Suite struct FormatLawTests {
  @Test func `Printing and parsing gives the same condition`() throws {
    var maker = ConditionMaker(dice: Dice(7))
    for round in 0..<6000 {
      let condition = maker.condition(round % 4)
      let printed = condition.format
      let parsed = try? Condition(format: printed)
      let isSame = parsed == condition
      #expect(isSame, "\(printed)\n\(parsed?.format ?? "not parsed")")
      guard isSame else { break }
      #expect(parsed?.hashValue == condition.hashValue, "\(printed)")
      #expect(parsed?.format == printed)
    }
  }

  @Test func `Printing and parsing gives the same expression`() throws {
    var maker = ConditionMaker(dice: Dice(8))
    for round in 0..<3000 {
      let term = maker.term(round % 4)
      let printed = term.format
      let parsed = try? Term(format: printed)
      let isSame = parsed == term
      #expect(isSame, "\(printed)\n\(parsed?.format ?? "not parsed")")
      guard isSame else { break }
    }
  }

  @Test func `Printing and parsing keeps the answer`() throws {
    var maker = ConditionMaker(dice: Dice(9))
    let sample = Self.sample()
    for _ in 0..<3000 {
      let condition = maker.condition(2)
      let printed = condition.format
      // Chance and time answer anew each time.
      if printed.contains("random") || printed.contains("now") { continue }
      let parsed = try Condition(format: printed)
      let answer = try? condition.evaluate(with: .object(sample), variables: Self.variables)
      let again = try? parsed.evaluate(with: .object(sample), variables: Self.variables)
      #expect(answer == again, "\(printed)")
    }
  }

  @Test func `A key compared with a constant holds as the general comparison does`() throws {
    var maker = ConditionMaker(dice: Dice(11))
    let sample = Self.sample()
    for _ in 0..<3000 {
      let condition = maker.condition(2)
      if condition.format.contains("random") || condition.format.contains("now") { continue }
      let holds = try? condition.evaluate(with: .object(sample), variables: Self.variables)
      let general = try? condition.generalForm.evaluate(
        with: .object(sample),
        variables: Self.variables
      )
      #expect(holds == general, "\(condition.format)")
    }
  }

  private static let variables: [String: Value] = [
    "x": .int(7), "START_DATE": .date(5), "_1": .null, "größe": .text("größe"),
    "in": .collection(ValueCollection(.array, [.int(1)])),
  ]

  private static func sample() -> SampleObject {
    let sample = SampleObject("o", entity: "Sample")
    sample.set("name", .text("größe"))
    sample.set("größe", .double(0.1))
    sample.set("in", .int(-42))
    sample.set("size", .int(7))
    sample.set("union", .null)
    sample.set("cast", .date(5))
    sample.set("any", .collection(ValueCollection(.set, [.int(0), .text(""), .null])))
    return sample
  }

  @Test func `Variables are replaced by constants that print and parse`() throws {
    var maker = ConditionMaker(dice: Dice(12))
    for _ in 0..<2000 {
      let bound = try maker.condition(3).substituting(Self.variables)
      #expect(try Condition(format: bound.format) == bound, "\(bound.format)")
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
      expectNothingWorse(String(format))
    }
  }

  @Test func `Words and signs in any order are refused or parsed, never worse`() {
    var dice = Dice(5)
    let words = [
      "(", ")", "{", "}", "[", "]", ",", ".", ":", ":=", "+", "-", "*", "**", "/", "~", "&", "|",
      "^", "<<", "==", "!=", "<", "=>", "=", "!", "&&", "||", "AND", "OR", "NOT", "ANY", "NONE",
      "IN", "LIKE", "BETWEEN", "[cd]", "[x]", "SUBQUERY(", "TERNARY(", "CAST(", "FUNCTION(",
      "FETCH(", "sum(", "modulus:by:(", "now()", "UNION", "MINUS", "FIRST", "SIZE", "SELF", "nil",
      "TRUEPREDICATE", "ANYKEY", "a", "größe", "#in", "@count", "$x", "1", "0x1F", "1e400", ".5",
      "'text'", "'\\u00e9\\'", "\"", "%@", "%K", "%d", "%5.2lf", "%%", "isEqual:", "UTI-EQUALS",
      "\u{0}", "\n", "😀",
    ]
    for _ in 0..<20_000 {
      let count = Int.random(in: 1...12, using: &dice)
      let space = dice.pick(["", " ", "  "])
      let soup = (0..<count).map { _ in dice.pick(words) }.joined(separator: space)
      expectNothingWorse(soup)
    }
  }

  private func expectNothingWorse(_ format: String) {
    let arguments: [FormatArgument] = [.value(.int(1)), .value(.text("a b")), .term(.keyPath("k"))]
    do {
      let condition = try Condition(format: format, arguments: arguments)
      #expect((try? Condition(format: condition.format)) == condition, "\(format)")
    } catch let error as FormatError {
      #expect(error.range.upperBound <= error.format.utf8.count)
      #expect(!error.debugDescription.isEmpty)
    } catch {
      Issue.record("\(error)")
    }
  }

  @Test func `Variables are replaced outside the subqueries that bind them`() throws {
    let condition = try Condition(format: "a == $x AND SUBQUERY(b, $x, $x > $y).@count > 0")
    let result = try condition.substituting(["x": .int(1), "y": .text("z")])
    #expect(result.format == "a == 1 AND SUBQUERY(b, $x, $x > \"z\").@count > 0")
    #expect(throws: EvaluationError.self) { try condition.substituting(["x": .int(1)]) }
  }
}
