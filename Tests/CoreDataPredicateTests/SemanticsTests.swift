// SPDX-License-Identifier: Apache-2.0

import Foundation
import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// What operators and functions do at their edges.
@Suite struct SemanticsTests {
  private func holds(
    _ format: String,
    _ object: Value = .null,
    _ variables: [String: Value] = [:]
  ) throws -> Bool {
    let condition = try Condition(format: format)
    let holds = try condition.evaluate(with: object, variables: variables)
    #expect(try condition.generalForm.evaluate(with: object, variables: variables) == holds)
    return holds
  }

  private func value(_ format: String, _ object: Value = .null) throws -> Value {
    try Term(format: format).evaluate(with: object)
  }

  private func refuses(_ format: String, _ object: Value = .null) -> Bool {
    do {
      _ = try value(format, object)
      return false
    } catch {
      return error is EvaluationError
    }
  }

  @Test func `Arithmetic at the edges of its types has a result or an error, never a trap`() throws
  {
    let edge = Value.dictionary(["max": .int(.max), "min": .int(.min), "zero": .int(0)])
    #expect(try value("max + 1", edge).number == Double(Int64.max) + 1)
    #expect(try value("min - 1", edge).number == Double(Int64.min) - 1)
    #expect(try value("max * max", edge).number == Double(Int64.max) * Double(Int64.max))
    #expect(try value("min / -1", edge).number == -Double(Int64.min))
    #expect(try value("1 / zero", edge).number == .infinity)
    #expect(try value("0 / zero", edge).number?.isNaN == true)
    #expect(refuses("modulus:by:(7, zero)", edge))
    #expect(try value("modulus:by:(min, -1)", edge).number == 0)
    #expect(try value("modulus:by:(-7, 2)", edge).number == -1)
    #expect(try value("1 << 64").number == 0)
    #expect(try value("1 << 63").truncated == .min)
    #expect(try value("-8 >> 70").number == -1)
    #expect(try value("1 << -1").number == 0)
    #expect(try value("1 << max", edge).number == 0)
    #expect(try value("1 >> min", edge).number == 0)
    #expect(try value("abs(min)", edge).number == -Double(Int64.min))
    #expect(try value("2 ** 1024", edge).number == .infinity)
    #expect(try value("min ** 1", edge).number == Double(Int64.min))
    #expect(try value("2 ** -1", edge).number == 0.5)
    #expect(refuses("1.5e300 & 1"))
    #expect(refuses("'1' + 1"))
    #expect(try value("nil + 1").isNull)
    #expect(try value("~nil").isNull)
  }

  @Test func `Whole and real numbers compare exactly`() throws {
    let large = Value.dictionary([
      "a": .int(9_007_199_254_740_993), "b": .double(9_007_199_254_740_992),
    ])
    #expect(try !holds("a == b", large))
    #expect(try holds("a > b", large))
    #expect(try holds("b < 9007199254740993", large))
    #expect(try !holds("b == 9007199254740993", large))
    #expect(try holds("1 == 1.0 AND 2 > 1.5 AND TRUE == 1"))
  }

  @Test func `Functions of nil are nil, of the wrong kind an error`() throws {
    for function in ["uppercase", "lowercase", "canonical", "length", "sqrt", "abs", "trunc"] {
      #expect(try value("\(function)(nil)").isNull, "\(function)")
    }
    for function in ["uppercase", "length"] { #expect(refuses("\(function)(3)"), "\(function)") }
    for function in ["sqrt", "abs", "floor"] { #expect(refuses("\(function)('x')"), "\(function)") }
    #expect(try value("canonical('ÀÉ')").isEqual(to: .text("ae")))
    #expect(try value("length('é𝔸')").truncated == 3)
    #expect(try value("noindex('x')").isEqual(to: .text("x")))
  }

  @Test func `CAST converts what the text or number means`() throws {
    #expect(try value("CAST('12.5', 'NSNumber')").number == 12.5)
    #expect(try value("CAST('x', 'NSNumber')").isNull)
    #expect(
      try value("CAST('0.1', 'NSDecimalNumber')").isEqual(to: .decimal(Decimal(string: "0.1") ?? 0))
    )
    #expect(try value("CAST(12, 'NSString')").isEqual(to: .text("12")))
    #expect(try value("CAST(CAST(5, 'NSDate'), 'NSNumber')").number == 5)
    let uuid = "E621E1F8-C36C-495A-93FC-0C247A3E6E5F"
    #expect(
      try value("CAST('\(uuid)', 'NSUUID')").isEqual(
        to: UUID(uuidString: uuid).map(Value.uuid) ?? .null
      )
    )
    #expect(try value("CAST({1, 1, 2}, 'NSSet').@count").truncated == 2)
    #expect(try value("CAST(nil, 'NSNumber')").isNull)
    #expect(refuses("CAST('x', 'NSWindow')"))
    #expect(refuses("CAST({1}, 'NSNumber')"))
  }

  @Test func `An index takes a member of what has places or keys`() throws {
    let object = Value.dictionary([
      "list": .collection(ValueCollection(.orderedSet, [.text("a"), .text("b")])),
      "set": .collection(ValueCollection(.set, [.text("a")])),
      "map": .dictionary(["k": .int(1), "2": .int(3)]), "absent": .null,
    ])
    #expect(try value("list[1]", object).isEqual(to: .text("b")))
    #expect(try value("list[LAST]", object).isEqual(to: .text("b")))
    #expect(try value("map['k']", object).number == 1)
    #expect(try value("map[2]", object).number == 3)
    #expect(try value("map['absent']", object).isNull)
    #expect(try value("absent[0]", object).isNull)
    #expect(try value("set[SIZE]", object).number == 1)
    #expect(refuses("set[0]", object))
    #expect(refuses("list[2]", object))
    #expect(refuses("list[-1]", object))
  }

  @Test func `Distances are measured on a sphere`() throws {
    func place(_ latitude: Double, _ longitude: Double) -> Value {
      .dictionary(["latitude": .double(latitude), "longitude": .double(longitude)])
    }
    let object = Value.dictionary([
      "paris": place(48.8566, 2.3522), "rome": .dictionary(["coordinate": place(41.9028, 12.4964)]),
    ])
    let metres = try value("distanceToLocation:fromLocation:(paris, rome)", object).number ?? 0
    #expect(abs(metres - 1_105_000) < 5_000)
    #expect(try value("distanceToLocation:fromLocation:(paris, paris)", object).number == 0)
    #expect(refuses("distanceToLocation:fromLocation:(paris, 3)", object))
  }

  @Test func `FUNCTION sends messages that read, and no other`() throws {
    #expect(try value("FUNCTION('ab', 'stringByAppendingString:', 'c')").isEqual(to: .text("abc")))
    #expect(try value("FUNCTION('abc', 'substringFromIndex:', 1)").isEqual(to: .text("bc")))
    #expect(try value("FUNCTION({1, 2}, 'lastObject')").number == 2)
    #expect(
      try value("FUNCTION(CAST(5, 'NSDate'), 'dateByAddingTimeInterval:', 2)").isEqual(to: .date(7))
    )
    #expect(try value("FUNCTION('a', 'uppercaseString')").isEqual(to: .text("A")))
    #expect(try value("FUNCTION(nil, 'uppercaseString')").isNull)
    #expect(refuses("FUNCTION('abc', 'substringFromIndex:', 9)"))
    #expect(refuses("FUNCTION('abc', 'writeToFile:', 'x')"))
    let object = SampleObject("1", entity: "Sample", keys: ["delete"])
    #expect(refuses("FUNCTION(SELF, 'delete')", .object(object)))
  }

  @Test func `ANYKEY holds where one value does`() throws {
    let object = Value.dictionary(["a": .text("x"), "b": .int(4)])
    #expect(try holds("ANYKEY == 4", object))
    #expect(try holds("ANYKEY BEGINSWITH 'x'", object))
    #expect(try !holds("ANYKEY == 5", object))
  }

  @Test func `An assignment is seen by the comparisons behind it`() throws {
    #expect(try holds("($x := 2 + 3) == 5 AND $x == 5"))
    #expect(try holds("SUBQUERY({1, 2, 3}, $y, $y > $low).@count == 1", .null, ["low": .int(2)]))
    let nested = "SUBQUERY({1, 2, 3}, $y, SUBQUERY({2, 3}, $z, $z > $y).@count == 2).@count == 1"
    #expect(try holds(nested))
  }

  @Test func `Regular expressions take the letters, and an invalid one is an error`() throws {
    #expect(try holds("'Ábc' MATCHES[cd] 'a.C'"))
    #expect(try holds("'abc' MATCHES[d] 'á.c'"))
    #expect(try !holds("'Abc' MATCHES[d] 'a.c'"))
    #expect(try !holds("'Abc' MATCHES[n] 'a.c'"))
    for format in ["'a' MATCHES '('", "name MATCHES '['", "name MATCHES[cd] '*'"] {
      let object = Value.dictionary(["name": .text("a")])
      #expect(throws: EvaluationError.self) { try self.holds(format, object) }
    }
  }

  @Test func `Letters compare as the locale does, n compares bytes`() throws {
    #expect(try holds("'a' <[l] 'B' AND 'a' > 'B'"))
    #expect(try holds("'É' ==[cdl] 'e' AND 'xÉy' CONTAINS[cdl] 'e'"))
    #expect(try holds("'e\u{301}' ==[l] 'é' AND 'e\u{301}' !=[n] 'é'"))
    #expect(try holds("'Éa' BEGINSWITH[cl] 'é' AND 'aÉ' ENDSWITH[cl] 'é'"))
    #expect(try holds("'a' <=[l] 'a' AND 'a' >=[l] 'a' AND NOT 'a' <[l] 'a'"))
    #expect(try holds("'B' IN[cl] {'a', 'b'}"))
    #expect(try !holds("'B' IN[cn] {'a', 'b'}"))
  }

  @Test func `Texts and URLs are searched alike`() throws {
    let object = Value.dictionary(["url": URL(string: "http://a.b/c").map(Value.url) ?? .null])
    #expect(try holds("url CONTAINS 'a.b' AND url BEGINSWITH[c] 'HTTP' AND url LIKE '*/c'", object))
  }

  @Test func `Members are told apart by what they are`() throws {
    struct Song: Hashable { let title: String }
    func box(_ title: String) -> Value {
      .object(
        KeyedBox(Song(title: title)) { song, key in
          guard key == "title" else { throw UnknownKey(key: key, owner: "Song") }
          return .text(song.title)
        }
      )
    }
    let object = Value.dictionary([
      "songs": .collection(ValueCollection(.array, [box("a"), box("b"), box("a")])),
      "others": .collection(ValueCollection(.set, [box("a")])),
    ])
    #expect(try value("(songs UNION others).@count", object).number == 2)
    #expect(try value("(songs MINUS others).@count", object).number == 1)
    #expect(try value("(songs INTERSECT others).@count", object).number == 1)
    #expect(try value("count(songs.@distinctUnionOfObjects.title)", object).number == 2)
    #expect(try holds("ANY songs.title == 'b' AND songs[0] IN others", object))
    #expect(throws: UnknownKey.self) { try self.value("songs[0].name", object) }
  }

  @Test func `A date that is not a number equals no date, in few comparisons and in many`() throws {
    let object = Value.dictionary(["day": .date(.nan)])
    for count in [1, 9] {
      let comparisons = (0..<count).map { number in
        let constant = Term.constant(Constant(.date(number == 0 ? .nan : Double(number))))
        return Condition.comparison(Comparison(.keyPath("day"), .equal, constant))
      }
      #expect(try !Condition.or(comparisons).evaluate(with: object))
    }
  }

  private final class Request: FetchEvaluating {
    func fetchedValue(context: Value, countOnly: Bool) throws -> Value {
      countOnly ? .int(2) : .collection(ValueCollection(.array, [context, .int(1)]))
    }
  }

  @Test func `FETCH runs the request that it is given`() throws {
    let request = Term.constant(Constant(.opaque(Request())))
    let context = Term.constant(Constant(.int(7)))
    let fetch = Term.fetch(request, context: context, countOnly: false)
    #expect(
      try fetch.evaluate(with: .null).isEqual(
        to: .collection(ValueCollection(.array, [.int(7), .int(1)]))
      )
    )
    let count = Term.fetch(request, context: context, countOnly: true)
    #expect(try count.evaluate(with: .null).number == 2)
    #expect(throws: EvaluationError.self) {
      try Term.fetch(context, context: context, countOnly: false).evaluate(with: .null)
    }
  }
}
