// SPDX-License-Identifier: Apache-2.0

import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// The shared expressions, functions and key paths; a failure names the row.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedExpressionTests {
  @Test func `Every row of the expressions has a place`() throws {
    let rows = try SharedCase.all("expressions.tsv") { _ in true }
    #expect(rows.count == 128)
    // Four run as columns of a dictionary fetch, four are built in code.
    #expect(rows.count { $0["engine"] == "sqlite" } == 4)
    #expect(rows.count { $0["form"] == "programmatic" } == 4)
  }

  @Test func `Expressions, functions and key paths give the expected values`() throws {
    let rows = try SharedCase.all("expressions.tsv") { $0["form"] != "programmatic" }
    var agreed = 0
    // A function that a SQLite store refuses has a value in memory.
    for row in rows where !row["expected"].contains("$fetchError") {
      let expected = try row.json("expected")
      let isRefused = expected["$throws"] != nil || expected["$parseError"] != nil
      do {
        let value = try self.value(row)
        let agrees = !isRefused && matches(value, expected)
        #expect(agrees, "\(row.id) \(row["expression"]): \(value)")
        agreed += agrees ? 1 : 0
      } catch {
        #expect(isRefused, "\(row.id) \(row["expression"]): \(error)")
        agreed += isRefused ? 1 : 0
      }
    }
    #expect(agreed == 122)
  }

  @Test func `Functions that are built in code give values of their kind`() throws {
    // Of the four rows, the selector of a key path belongs to the shell and one is private to Apple.
    guard case .date = try Term.function(.now, []).evaluate(with: .null) else {
      Issue.record("E040: now is no date")
      return
    }
    let bound = Term.constant(Constant(.int(200)))
    for _ in 0..<100 {
      let value = try Term.function(.numeric(.randomBelow), [bound]).evaluate(with: .null)
      #expect((0..<200).contains(value.truncated ?? -1), "E042")
    }
    #expect(Function(selector: "_convertStringToNumber:") == nil, "E046")
  }

  private struct UnknownFunction: Error {}

  private func value(_ row: SharedCase) throws -> Value {
    let world = SampleWorld()
    let text = try row.json("expression").text ?? ""
    let object = world.value(try row.json("object"))
    let arguments = try row.json("args").elements
    switch row["form"] {
    case "function":
      guard let function = Function(selector: text) else { throw UnknownFunction() }
      return try function.value(arguments.map(world.value))
    case "keyPath": return try object.value(forKeyPath: text)
    default:
      var variables: [String: Value] = [:]
      if case .object(let members) = try row.json("vars") {
        variables = members.mapValues(world.value)
      }
      let term = try Term(
        format: text,
        arguments: arguments.map { .value(world.value($0)) }
      )
      return try term.evaluate(with: object, variables: variables)
    }
  }

  private func matches(_ value: Value, _ expected: JSON) -> Bool {
    if expected["$nan"] != nil { return value.number?.isNaN == true }
    if case .int(let whole)? = expected["$int"] { return value.truncated == whole }
    if case .int(let count)? = expected["$count"], case .collection(let found) = value {
      return found.members.count == count
    }
    if let members = expected["$set"]?.elements, case .collection(let found) = value {
      return Set(found.members.map(Constant.init))
        == Set(members.map { Constant(SampleWorld().value($0)) })
    }
    let wanted = SampleWorld().value(expected)
    if let left = value.number, let right = wanted.number { return abs(left - right) < 1e-9 }
    return value.isEqual(to: wanted)
  }
}
