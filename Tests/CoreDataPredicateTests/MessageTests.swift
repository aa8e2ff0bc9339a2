// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate

/// Messages of expressions: `FUNCTION(receiver, "selector:", …)`.
@Suite struct MessageTests {
  private func reply(_ receiver: String, _ selector: String, _ arguments: String...) throws -> Value
  {
    let parts = [receiver, "\"\(selector)\""] + arguments
    return try Term(format: "FUNCTION(\(parts.joined(separator: ", ")))").evaluate(with: .null)
  }

  @Test("A text replies to the messages of NSString that read it")
  func texts() throws {
    #expect(try reply("'ab'", "stringByAppendingString:", "'c'").isEqual(to: .text("abc")))
    #expect(try reply("'abc'", "hasPrefix:", "'ab'").isEqual(to: .bool(true)))
    #expect(try reply("'abc'", "substringFromIndex:", "1").isEqual(to: .text("bc")))
    #expect(try reply("'abc'", "length").isEqual(to: .int(3)))
    #expect(throws: EvaluationError.self) { try reply("'abc'", "substringToIndex:", "4") }
  }

  @Test("A collection replies to the messages of NSArray and NSSet that read it")
  func collections() throws {
    #expect(try reply("{1, 2, 2}", "count").isEqual(to: .int(3)))
    #expect(try reply("{1, 2}", "lastObject").isEqual(to: .int(2)))
    #expect(try reply("{1, 2}", "containsObject:", "2").isEqual(to: .bool(true)))
    #expect(try reply("{'a', 'b'}", "componentsJoinedByString:", "'-'").isEqual(to: .text("a-b")))
    #expect(throws: EvaluationError.self) { try reply("{1, 2}", "objectAtIndex:", "2") }
  }

  @Test("Null replies null, and a selector of a function is that function of the arguments")
  func nullsAndFunctions() throws {
    #expect(try reply("nil", "anything").isNull)
    #expect(try reply("nil", "isEqual:", "1").isNull)
    #expect(try reply("{1}", "add:to:", "1", "2").isEqual(to: .int(3)))
  }

  @Test("An unknown message is an error that names it")
  func unknown() throws {
    let error = #expect(throws: EvaluationError.self) { try reply("{1}", "removeAll:", "1") }
    #expect(error?.code == .unsupported)
    #expect(error?.message.contains("removeAll:") == true)
  }

  @Test(
    "The error of a message says whether the message, the receiver, the argument or the index is wrong"
  )
  func causes() throws {
    func message(_ receiver: String, _ selector: String, _ arguments: String...) -> String {
      let parts = [receiver, "\"\(selector)\""] + arguments
      let error = #expect(throws: EvaluationError.self) {
        try Term(format: "FUNCTION(\(parts.joined(separator: ", ")))").evaluate(with: .null)
      }
      return error?.message ?? ""
    }
    #expect(
      message("{1}", "removeAll:", "1")
        == "An expression can send only a fixed set of messages, not removeAll:; use a function or a "
        + "block expression"
    )
    #expect(
      message("'a'", "hasPrefix:", "1")
        == "An expression can't send the message hasPrefix: to a string with a number as argument"
    )
    #expect(
      message("'a'", "hasPrefix:", "1", "'b'")
        == "An expression can't send the message hasPrefix: to a string with a number and a string "
        + "as arguments"
    )
    #expect(message("{1}", "add:to:", "1") == "The function add:to: takes 2 arguments, not 1")
    #expect(
      message("'abc'", "substringToIndex:", "4")
        == "The index 4 of the message substringToIndex: is out of bounds: the string has 3 UTF-16 units"
    )
    #expect(
      message("'abc'", "substringToIndex:", "'b'")
        == "The index of the message substringToIndex: must be a number, not a string"
    )
  }

  @Test("The error of an element or a cast names its cause")
  func elementsAndCasts() throws {
    let set = Value.dictionary([
      "set": .collection(ValueCollection(.set, [.text("a")])),
      "list": .collection(ValueCollection(.array, [.text("a")])),
    ])
    for (format, text) in [
      ("set[0]", "because the members of a set have no order"),
      ("list['a']", "because the index is not a 64-bit integer"),
      ("list[3]", "The index 3 is out of bounds: the collection has 1 member"),
      ("4[0]", "of a number; only collections, dictionaries and objects have elements"),
      ("CAST(4, 'NSWindow')", "the class NSWindow; the supported classes are NSString, "),
      ("CAST({1}, 'NSNumber')", "Can't cast a collection to NSNumber"),
    ] {
      let error = #expect(throws: EvaluationError.self) {
        try Term(format: format).evaluate(with: set)
      }
      #expect(error?.message.contains(text) == true, "\(error?.message ?? "")")
    }
  }

  @Test("A message of another kind of value is unknown")
  func otherKinds() throws {
    #expect(throws: EvaluationError.self) { try reply("{1}", "hasPrefix:", "'a'") }
    #expect(throws: EvaluationError.self) { try reply("{1}", "allKeys") }
    #expect(throws: UnknownKey.self) { try reply("'abc'", "firstObject") }
  }
}
