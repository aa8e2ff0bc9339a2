// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Testing

@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedExpressionTests {
  @Test func `Expressions, functions and key paths give the expected values`() throws {
    let rows = try SharedCase.all("expressions.tsv") {
      $0["engine"] == "memory" && $0["form"] != "programmatic"
    }
    for row in rows {
      let expected = try row.json("expected")
      do {
        let value = try self.value(row)
        #expect(matches(value, expected), "\(row.id) \(row["expression"]): \(value)")
      } catch {
        let isExpected = expected["$throws"] != nil || expected["$parseError"] != nil
        #expect(isExpected, "\(row.id) \(row["expression"]): \(error)")
      }
    }
  }

  private func value(_ row: SharedCase) throws -> Value {
    let world = SampleWorld()
    let text = try row.json("expression").text ?? ""
    let object = world.value(try row.json("object"))
    let arguments = try row.json("args").elements
    switch row["form"] {
    case "function": return try ExpressionFunction.value(text, arguments.map(world.value))
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

  @Test func `Sorting gives the expected order`() throws {
    for row in try SharedCase.all("sort-cases.tsv", where: { isComparable($0) }) {
      let order = SortOrder(try row.json("descriptors").elements.map(key))
      let world = SampleWorld()
      let data = try row.json("data").elements
      let expected = try row.json("expected")
      if case .int(let sign) = expected {
        let found = try order.compare(world.value(data[0]), world.value(data[1]))
        #expect(found.signum() == Int(sign), "\(row.id) \(row["descriptors"]) \(row["data"])")
      } else {
        let sorted = try order.sorted(data) { world.value($0) }.map { $0["id"] ?? $0 }
        var rest = sorted[...]
        for step in expected.elements {
          let group = step.elements.isEmpty ? [step] : step.elements
          #expect(Set(rest.prefix(group.count)) == Set(group), "\(row.id) \(sorted)")
          rest = rest.dropFirst(group.count)
        }
      }
    }
  }

  private func isComparable(_ row: SharedCase) -> Bool {
    let selectors = (try? row.json("descriptors").elements) ?? []
    let known = selectors.allSatisfy { descriptor in
      guard let selector = descriptor["selector"]?.text else { return true }
      return selector.hasSuffix(":") && !selector.contains(" ")
    }
    return known && ["both", "memory", "sqlite"].contains(row["engine"])
      && !row["expected"].hasPrefix("\"")
  }

  private func key(_ json: JSON) -> SortKey {
    let comparisons: [String: SortKey.Comparison] = [
      "caseInsensitiveCompare:": .caseInsensitive, "localizedCompare:": .localized,
      "localizedCaseInsensitiveCompare:": .localizedCaseInsensitive,
      "localizedStandardCompare:": .localizedStandard,
    ]
    return SortKey(
      json["key"]?.text ?? "",
      ascending: json["ascending"] != .bool(false),
      comparison: json["selector"]?.text.flatMap { comparisons[$0] } ?? .standard
    )
  }
}
