// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// The language construct by construct: what is written, and as what it is understood.
@Suite struct FormatGrammarTests {
  private func printed(_ format: String, _ arguments: [FormatArgument] = []) -> String {
    do {
      return try Condition(format: format, arguments: arguments).format
    } catch {
      return "\(error)"
    }
  }

  private func term(_ format: String, _ arguments: [FormatArgument] = []) throws -> Term {
    try Term(format: format, arguments: arguments)
  }

  private func constant(_ value: Value) -> Term { .constant(Constant(value)) }

  @Test(arguments: [
    ("a = 1", "a == 1"), ("a == 1", "a == 1"), ("a <> 1", "a != 1"), ("a != 1", "a != 1"),
    ("a =< 1", "a <= 1"), ("a <= 1", "a <= 1"), ("a => 1", "a >= 1"), ("a >= 1", "a >= 1"),
    ("a<1", "a < 1"), ("a>1", "a > 1"), ("a=-1", "a == -1"), ("\ta\r\n=1 ", "a == 1"),
    ("a==1||b==2", "a == 1 OR b == 2"), ("a==1&&b==2", "a == 1 AND b == 2"),
    ("!a==1", "NOT a == 1"), ("nOt a = 1 aNd b = 2", "NOT a == 1 AND b == 2"),
    ("SOME a = 1", "ANY a == 1"), ("any a = 1", "ANY a == 1"), ("ALL a.b = 1", "ALL a.b == 1"),
    ("NONE a = 1", "NOT ANY a == 1"), ("a beginswith 'x'", "a BEGINSWITH \"x\""),
    ("a EndsWith 'x'", "a ENDSWITH \"x\""), ("a contains 'x'", "a CONTAINS \"x\""),
    ("a like '*x'", "a LIKE \"*x\""), ("a matches 'x.'", "a MATCHES \"x.\""),
    ("a in b", "a IN b"), ("a between {1, 2}", "a BETWEEN {1, 2}"),
    ("a = yes OR a = TRUE OR a = no OR a = false", "a == 1 OR a == 1 OR a == 0 OR a == 0"),
    ("a = nil AND b = NULL", "a == nil AND b == nil"), ("self = SELF", "SELF == SELF"),
    ("SELF.a = self", "a == SELF"), ("anykey = 1", "ANYKEY == 1"),
    ("truepredicate", "TRUEPREDICATE"), ("FalsePredicate", "FALSEPREDICATE"),
    ("a isKindOfClass: 'B'", "a isKindOfClass: \"B\""), ("a like: 'B'", "a like: \"B\""),
    ("a uti-conforms-to 'b'", "a UTI-CONFORMS-TO \"b\""),
    ("a UTI-EQUALS 'b'", "a UTI-EQUALS \"b\""), ("uti - b = 1", "uti - b == 1"),
    ("uti-equalsx = 1", "uti - equalsx == 1"),
    ("UTI-CONFORMS-TO1 = 1", "(UTI - CONFORMS) - TO1 == 1"),
    ("a UTI-EQUALS\"b\"", "a UTI-EQUALS \"b\""),
    ("a tokenmatches[cd] 'b'", "a TOKENMATCHES[cd] \"b\""),
    ("(((a = 1)))", "a == 1"), ("((a)) = (1)", "a == 1"),
  ])
  func `Operators have synonyms, and one form in print`(format: String, expected: String) {
    #expect(printed(format) == expected)
  }

  @Test func `Options are letters in any order, case and number`() {
    let letters = ["c", "d", "n", "l"]
    for bits in 1..<16 {
      let chosen = letters.indices.filter { bits & 1 << $0 != 0 }.map { letters[$0] }
      let text = chosen.joined()
      let expected = "a ==[\(text)] \"b\""
      #expect(printed("a ==[\(text)] 'b'") == expected)
      #expect(printed("a == [ \(String(text.reversed()).uppercased()) ] 'b'") == expected)
    }
    for sign in ["==", "!=", "<", "<=", ">", ">=", "IN", "LIKE", "MATCHES", "CONTAINS", "BETWEEN"] {
      #expect(printed("a \(sign)[cc] b") == "a \(sign)[c] b")
    }
  }

  @Test(arguments: [
    ("0x1F", Value.int(31)), ("0Xff", .int(255)), ("0o17", .int(15)), ("0b101", .int(5)),
    ("0", .int(0)), ("007", .int(7)), ("10.", .double(10)), (".5", .double(0.5)),
    ("1e3", .double(1000)), ("1.5E-3", .double(0.0015)), ("1.e5", .double(100_000)),
    ("9223372036854775807", .int(.max)), ("-9223372036854775808", .int(.min)),
    ("9223372036854775808", .double(9.223372036854775808e18)),
    ("--9223372036854775808", .double(9.223372036854775808e18)),
    ("0x7FFFFFFFFFFFFFFF", .int(.max)), ("0xFFFFFFFFFFFFFFFF", .double(18446744073709551616)),
    ("1e999", .double(.infinity)), ("-1e999", .double(-.infinity)), ("-0x10", .int(-16)),
    ("-(5)", .int(-5)), ("+5", .int(5)), ("- - 5", .int(5)), ("-0.5", .double(-0.5)),
    ("'a\"b'", .text("a\"b")), ("\"it's\"", .text("it's")), ("''", .text("")),
    ("'\\n\\t\\r\\\\\\'\\\"'", .text("\n\t\r\\'\"")), ("'\\x41\\101\\u00e9'", .text("AAé")),
    ("'\\uD83D\\uDE00'", .text("😀")), ("'\\d+'", .text("d+")), ("'\\\\d+'", .text("\\d+")),
    ("'größe 日本'", .text("größe 日本")), ("nil", .null), ("YES", .bool(true)),
    ("CAST(5, 'NSDate')", .date(5)), ("castObject:toType:(5, 'NSDate')", .date(5)),
    ("CAST('inf', 'NSNumber')", .double(.infinity)), ("CAST('nan', 'NSNumber')", .double(.nan)),
    (
      "CAST('0.1234567890123456789', 'NSDecimalNumber')",
      .decimal(Decimal(string: "0.1234567890123456789") ?? 0)
    ),
  ])
  func `Literals have the values that they spell`(format: String, value: Value) throws {
    let parsed = try term(format)
    #expect(parsed == constant(value), "\(parsed)")
    guard case .constant(let found) = parsed else { return }
    // Equal numbers may be of two kinds; here the kind counts too.
    #expect(String(describing: found.value).prefix(4) == String(describing: value).prefix(4))
  }

  @Test func `Placeholders of every width take numbers`() throws {
    let whole =
      "d i u x X o c hd hi hhd hu ld li lu lx lld lli llu llx qd qi qu zd zu jd td D U O 5d 05d -5d +d"
    for width in whole.split(separator: " ") {
      #expect(try term("%\(width)", [.value(.double(42.9))]) == constant(.int(42)), "%\(width)")
    }
    for width in "f F e E g G a A lf le lg la Lf 5.2f .3lf".split(separator: " ") {
      #expect(try term("%\(width)", [.value(.int(42))]) == constant(.double(42)), "%\(width)")
    }
    #expect(try term("-%d", [.value(.int(5))]) == constant(.int(-5)))
    #expect(try term("%d", [.value(.bool(true))]) == constant(.int(1)))
  }

  @Test func `Objects stand for placeholders as what they are`() throws {
    let number = FormatArgument.value(.int(3))
    let sum = Term.function(.arithmetic(.add), [.keyPath("a"), constant(.int(1))])
    #expect(printed("%@ > 100", [.term(sum)]) == "a + 1 > 100")
    #expect(printed("a > %@ * 2", [.term(sum)]) == "a > (a + 1) * 2")
    #expect(printed("a == %@", [.value(.null)]) == "a == nil")
    #expect(
      printed("a IN %@", [.value(.collection(ValueCollection(.array, [.text("x"), .int(1)])))])
        == "a IN {\"x\", 1}"
    )
    let test = FormatArgument.condition(try Condition(format: "b == 1"))
    #expect(printed("TERNARY(%@, 1, 2) == a", [test]) == "TERNARY(b == 1, 1, 2) == a")
    #expect(printed("NOT %@ AND %@", [test, test]) == "NOT b == 1 AND b == 1")
    #expect(printed("%@.length > %@", [.value(.text("abc")), number]) == "\"abc\".length > 3")
  }

  @Test func `Key paths from arguments compose`() throws {
    func keys(_ paths: String...) -> [FormatArgument] { paths.map { .value(.text($0)) } }
    #expect(printed("%K == 1", keys("a.b")) == "a.b == 1")
    #expect(printed("%K.%K == 1", keys("a", "b.@count")) == "a.b.@count == 1")
    #expect(printed("ANY %K.%K == 1", keys("a", "b")) == "ANY a.b == 1")
    #expect(printed("%K.@count == 1", keys("a")) == "a.@count == 1")
    #expect(printed("%K['k'] == %K[0]", keys("a", "b")) == "a[\"k\"] == b[0]")
    #expect(printed("$x.%K == 1", keys("b")) == "$x.b == 1")
    #expect(printed("%@.%@ == 1", keys("a", "b")) == "\"a\".b == 1")
    #expect(try term("%K", keys("$single")) == .variable("single"))
    #expect(try term("%K", keys("$x.name")) == .keyPathOf(.variable("x"), "name"))
    #expect(try term("%K", keys("$x.name")).format == "$x.name")
    #expect(try term("%K", keys("in.Self")) == .keyPath("in.Self"))
    #expect(printed("%K == 1", keys("in.Self")) == "#in.#Self == 1")
    // A path whose keys cannot be written bare prints as the message that reads it.
    #expect(
      printed("%K == 1", keys("a == 1 OR b"))
        == "FUNCTION(SELF, \"valueForKeyPath:\", \"a == 1 OR b\") == 1"
    )
  }

  @Test(arguments: [
    ("a or b and c", "a == 1 OR (b == 1 AND c == 1)"),
    ("not a or b and c", "NOT a == 1 OR (b == 1 AND c == 1)"),
    ("not (a or b) and c", "NOT (a == 1 OR b == 1) AND c == 1"),
    (
      "a and b and c and d and (e or f)",
      "a == 1 AND b == 1 AND c == 1 AND d == 1 AND (e == 1 OR f == 1)"
    ),
    ("(a and b) and c", "(a == 1 AND b == 1) AND c == 1"),
    ("not not a", "NOT NOT a == 1"),
  ])
  func `Words between conditions bind as Apple's do`(pattern: String, expected: String) {
    let format = pattern.replacing(/\b[a-f]\b/) { "\($0.output) = 1" }
    #expect(printed(format) == expected)
  }

  @Test(arguments: [
    ("1 + 2 * 3", "1 + (2 * 3)"), ("1 - 2 - 3", "(1 - 2) - 3"), ("1 - (2 - 3)", "1 - (2 - 3)"),
    ("2 * 3 ** 2", "2 * (3 ** 2)"), ("2 ** 3 ** 2", "(2 ** 3) ** 2"), ("-2 ** 2", "-2 ** 2"),
    ("-a ** 2", "(a * -1) ** 2"), ("a | b ^ c & d", "a | (b ^ (c & d))"),
    ("a << 1 + 2", "a << (1 + 2)"), ("a & b << 1", "a & (b << 1)"), ("~a.b", "~a.b"),
    ("~(a + b)", "~(a + b)"), ("a UNION b MINUS c", "(a UNION b) MINUS c"),
    ("a INTERSECT b | c", "a INTERSECT (b | c)"), ("a+-1", "a + -1"), ("a - -b", "a - (b * -1)"),
    ("a / 2.0", "a / 2.0"), ("a / 2", "a / 2"), ("(a)[0].b[FIRST]", "a[0].b[FIRST]"),
    ("a[#first]", "a[#first]"), ("a[first]", "a[FIRST]"), ("a[(first)]", "a[#first]"),
    ("a[b + 1][SIZE]", "a[b + 1][SIZE]"), ("$x := 1 + 2", "$x := 1 + 2"),
    ("($x := 1) + 2", "($x := 1) + 2"), ("(-1).k", "(-1).k"), ("-1.k", "(1).k * -1"),
    ("{}", "{}"), ("{1, {a, 'b'}, nil}", "{1, {a, \"b\"}, nil}"), ("#in.#like", "#in.#like"),
    ("#name", "name"), ("@count", "@count"), ("a.@max.#self", "a.@max.#self"),
    ("size", "size"), ("a.size.in", "a.size.#in"), ("union", "union"), ("cast", "cast"),
    ("SUBQUERY(a, $x, $x.b > c).@count", "SUBQUERY(a, $x, $x.b > c).@count"),
    ("subquery(a,$x,true=1)[SIZE]", "SUBQUERY(a, $x, 1 == 1)[SIZE]"),
    ("ternary(a = 1, 'x', 'y').length", "TERNARY(a == 1, \"x\", \"y\").length"),
    ("CAST(a, 'NSDate')", "CAST(a, \"NSDate\")"),
    ("CAST(5, 'NSDate')", "CAST(5.000000, \"NSDate\")"),
    ("FUNCTION(a, 'b:c:', 1, 2)", "FUNCTION(a, \"b:c:\", 1, 2)"),
    ("FUNCTION('x', 'length')", "FUNCTION(\"x\", \"length\")"),
    ("FETCH($r, $c)", "FETCH($r, $c)"), ("FETCH($r, $c, YES)", "FETCH($r, $c, 1)"),
    ("sum(a)", "sum(a)"), ("sum:(a)", "sum(a)"), ("modulus:by:(7, 2)", "modulus:by:(7, 2)"),
    ("add:to:(1, 2)", "1 + 2"), ("now()", "now()"), ("random(5)", "random(5)"),
    ("objectFrom:withIndex:(a, 0)", "a[0]"), ("a.b.c.@avg.d", "a.b.c.@avg.d"),
  ])
  func `Expressions bind as the grammar says, and print so`(format: String, expected: String) throws
  {
    let parsed = try term(format)
    #expect(parsed.format == expected)
    #expect(try term(expected) == parsed)
  }

  @Test func `Equal numbers are equal constants whatever their kind, unequal ones are not`() {
    func equal(_ left: Value, _ right: Value) -> Bool {
      let isSame = Constant(left) == Constant(right)
      if isSame { #expect(Constant(left).hashValue == Constant(right).hashValue) }
      return isSame
    }
    #expect(equal(.bool(true), .int(1)))
    #expect(equal(.int(7), .double(7)))
    #expect(equal(.decimal(Decimal(string: "12.34") ?? 0), .double(12.34)))
    #expect(equal(.double(.nan), .double(.nan)))
    #expect(equal(.double(-0.0), .int(0)))
    #expect(!equal(.int(.max), .double(9.223372036854775807e18)))
    #expect(!equal(.int(.max), .int(.max - 1)))
    #expect(!equal(.text("é"), .text("e\u{301}")))
    #expect(!equal(.text("1"), .int(1)))
  }

  @Test func `An array as a constant equals the aggregate that it prints as`() throws {
    let array = constant(.collection(ValueCollection(.array, [.int(1), .text("a")])))
    let aggregate = try term("{1, 'a'}")
    #expect(array == aggregate)
    #expect(aggregate == array)
    #expect(array.hashValue == aggregate.hashValue)
    #expect(try array != term("{1, 'b'}"))
    #expect(try array != term("{1}"))
    let set = constant(.collection(ValueCollection(.set, [.int(1), .text("a")])))
    #expect(set != aggregate, "what it prints as is evaluated as an array")
  }
}
