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

  @Test("A message of another kind of value is unknown")
  func otherKinds() throws {
    #expect(throws: EvaluationError.self) { try reply("{1}", "hasPrefix:", "'a'") }
    #expect(throws: EvaluationError.self) { try reply("{1}", "allKeys") }
    #expect(throws: UnknownKey.self) { try reply("'abc'", "firstObject") }
  }
}
