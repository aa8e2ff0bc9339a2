// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate

@Suite struct FormatErrorTests {
  private func message(_ format: String, _ arguments: [FormatArgument] = []) -> String {
    do {
      return "parsed: \(try Condition(format: format, arguments: arguments).format)"
    } catch let error as FormatError {
      return error.debugDescription
    } catch {
      return "\(error)"
    }
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
    #expect(error.suggestion == "CONTAINS")
    #expect(!error.description.contains("CONATINS"), "The short form shows nothing of the format")
  }

  @Test(arguments: [
    ("age", "Expected an operator\nage\n   ^"),
    ("", "Expected an expression\n\n^"),
    ("age * 25", "Expected an operator\nage * 25\n        ^"),
    (
      "a == 1 ADN b == 2",
      "Expected AND, OR or the end, found ADN; did you mean AND?\na == 1 ADN b == 2\n       ^~~"
    ),
    (
      "a NOT IN {1}",
      "Expected an operator, found NOT; did you mean NOT before the left side?\na NOT IN {1}\n  ^~~"
    ),
    ("name IS nil", "Expected an operator, found IS; did you mean ==?\nname IS nil\n     ^~"),
    ("größe === 1", "Expected an expression, found =\ngröße === 1\n        ^"),
    ("a ==[cx] 'b'", "Expected c, d, n or l, found x; did you mean [c]?\na ==[cx] 'b'\n      ^"),
    ("a ==[] 'b'", "Expected c, d, n or l, found ]\na ==[] 'b'\n     ^"),
    (
      "avrage(list) > 1",
      "Unknown function avrage; did you mean average?\navrage(list) > 1\n^~~~~~"
    ),
    (
      "modulus:bye:(7, 2) > 1",
      """
      Unknown function modulus:bye:; did you mean modulus:by:?
      modulus:bye:(7, 2) > 1
      ^~~~~~~~~~~~
      """
    ),
    ("sum(a, b) > 1", "This function takes 1 argument, not 2\nsum(a, b) > 1\n^~~"),
    (
      "random(1, 2) > 1",
      "This function takes 0 arguments or 1 argument, not 2\nrandom(1, 2) > 1\n^~~~~~"
    ),
    ("a == 'b", "A quoted string is not terminated\na == 'b\n     ^~"),
    (
      "a == '\\u12'",
      "Malformed escape sequence: expected 4 hexadecimal digits, found \\u12\na == '\\u12'\n      ^~~~"
    ),
    (
      "a == '\\18'",
      "Malformed escape sequence: expected 3 octal digits, found \\18\na == '\\18'\n      ^~~"
    ),
    (
      "a == '\\uD83Dx'",
      """
      Malformed escape sequence: expected a pair of surrogates, such as \\uD83D\\uDE00, found \\uD83D
      a == '\\uD83Dx'
            ^~~~~~
      """
    ),
    (
      "a == 0xFFFFFFFFFFFFFFFFF",
      """
      The number must have at most 64 bits, found 0xFFFFFFFFFFFFFFFFF
      a == 0xFFFFFFFFFFFFFFFFF
           ^~~~~~~~~~~~~~~~~~~
      """
    ),
    (
      "(a == 1) + 2 == 3",
      """
      Expected an expression, not a predicate, before this point, found +
      (a == 1) + 2 == 3
               ^
      """
    ),
    ("a == $ ", "Expected a name after $, found $\na == $ \n     ^"),
    (
      "a == 03b",
      """
      Malformed number: a letter or a point follows the digits, found 03b
      a == 03b
           ^~~
      """
    ),
    (
      "a == 0x",
      """
      The number must have at least one digit after 0x, and only hexadecimal digits, found 0x
      a == 0x
           ^~
      """
    ),
    (
      "a == 0b12",
      """
      The number must have at least one digit after 0b, and only binary digits, found 0b12
      a == 0b12
           ^~~~
      """
    ),
    (
      "a == 1..0",
      """
      Malformed number: a letter or a point follows the digits, found 1..
      a == 1..0
           ^~~
      """
    ),
    ("a == ?", "Unexpected character, found ?; did you mean %@?\na == ?\n     ^"),
    (
      "a == %s",
      """
      Expected a placeholder such as %@, %K, %d or %f, found %s; did you mean %@?
      a == %s
           ^~
      """
    ),
    (
      "a == 5 %% 2",
      "Expected a placeholder such as %@, %K, %d or %f, found %\na == 5 %% 2\n       ^"
    ),
    ("(a == 1", "Expected )\n(a == 1\n       ^"),
    ("a IN {1, 2", "Expected , or }\na IN {1, 2\n          ^"),
    ("a.b. == 1", "Expected a key, found ==\na.b. == 1\n     ^~"),
    (
      "SUBQUERY(a, x, x > 1).@count > 0",
      "Expected a variable such as $x, found x\nSUBQUERY(a, x, x > 1).@count > 0\n            ^"
    ),
    (
      "a == 1 AND\nb CONTAIN 2",
      "Expected an operator, found CONTAIN; did you mean CONTAINS?\nb CONTAIN 2\n  ^~~~~~~"
    ),
  ])
  func `An error says what would have fitted`(format: String, expected: String) {
    #expect(message(format) == expected)
  }

  @Test func `Arguments that are missing or do not fit are errors`() {
    #expect(
      message("%K == %d", [.value(.text("a"))]) == """
        This placeholder needs argument 2, but there is only 1 argument
        %K == %d
              ^~
        """
    )
    #expect(
      message("%K == 1", [.value(.int(4))]) == """
        This placeholder needs the name of a key, not a number
        %K == 1
        ^~
        """
    )
    #expect(
      message("a == %lld", [.value(.text("4"))]) == """
        This placeholder needs a number, not a string
        a == %lld
             ^~~~
        """
    )
    #expect(
      message("%K == 1", [.value(.text(""))]).contains("the name of a key, not an empty string")
    )
    #expect(message("a == %d", [.value(.double(1e30))]).contains("the range of a 64-bit integer"))
    #expect(message("a == %@").contains("argument 1, but there are no arguments"))
    #expect(message("a == %f", [.term(.keyPath("b"))]).contains("not an expression"))
    #expect(message("a.%@ == 1", [.value(.int(1))]).contains("the name of a key, not a number"))
  }

  @Test func `Arguments left over are ignored`() {
    #expect(message("a == %@", [.value(.int(1)), .value(.int(2))]) == "parsed: a == 1")
    #expect(message("'%@' == a", [.value(.int(1))]) == "parsed: \"%@\" == a")
  }

  @Test func `Formats that nest without end are refused`() {
    let nests = [
      String(repeating: "(", count: 100_000) + "1 == 1",
      String(repeating: "NOT ", count: 100_000) + "1 == 1",
      "1 == 1" + String(repeating: " + 1", count: 100_000),
      String(repeating: "-", count: 100_000) + "a == 1",
      "a == b" + String(repeating: "[b", count: 100_000),
      "a == b" + String(repeating: " UNION b", count: 100_000),
      "a == $x" + String(repeating: ".b[0]", count: 100_000),
      String(repeating: "{", count: 100_000),
      String(repeating: "SUBQUERY(a,$x,", count: 100_000),
      String(repeating: "$x := ", count: 100_000) + "1 == 1",
    ]
    for format in nests {
      let error = #expect(throws: FormatError.self) { try Condition(format: format) }
      #expect(error?.code == .tooDeep, "\(format.prefix(20))")
      let limits = ["More than 150 nested levels", "More than 310 nested parentheses"]
      #expect(limits.contains { error?.description.contains($0) == true }, "\(format.prefix(20))")
    }
  }

  @Test func `Formats that are long without nesting are parsed`() throws {
    let many = (0..<20_000).map { "(a == \($0) AND b + 1 > \($0))" }.joined(separator: " OR ")
    guard case .or(let members) = try Condition(format: many) else {
      Issue.record("no OR")
      return
    }
    #expect(members.count == 20_000)
    let keys = "a" + String(repeating: ".b", count: 50_000) + " == 1"
    #expect(try Condition(format: keys).format == keys)
    let escaped = "#in" + String(repeating: ".#self", count: 50_000) + " == 1"
    #expect(try Condition(format: escaped).format == escaped)
    let list = "a IN {" + (0..<50_000).map { "\($0)" }.joined(separator: ", ") + "}"
    #expect(try Condition(format: list).format == list)
  }

  @Test func `What nests as deep as formats may is parsed again from what it prints`() throws {
    let formats = [
      "1" + String(repeating: " - 1", count: 140) + " == 1",
      String(repeating: "(1 - ", count: 140) + "1" + String(repeating: ")", count: 140) + " == 1",
      String(repeating: "NOT (a == 1 AND ", count: 70) + "b == 2"
        + String(repeating: ")", count: 70),
      String(repeating: "FUNCTION(a, 'b:', ", count: 140) + "1" + String(repeating: ")", count: 140)
        + " == 1",
      "a" + String(repeating: "[b", count: 140) + String(repeating: "]", count: 140) + " == 1",
    ]
    for format in formats {
      let condition = try Condition(format: format)
      #expect(try Condition(format: condition.format) == condition)
    }
  }
}
