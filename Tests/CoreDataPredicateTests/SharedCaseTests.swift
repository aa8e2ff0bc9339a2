// SPDX-License-Identifier: Apache-2.0

import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// The shared cases, all rows of a kind in one test; a failure names the row.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedCaseTests {
  private func rows(_ kinds: String..., engines: [String]) throws -> [SharedCase] {
    try SharedCase.all("cases.tsv") {
      // Some rows are described instead of written: "(programmatic) …".
      kinds.contains($0["kind"]) && engines.contains($0["engine"])
        && !$0.format.hasPrefix("(programmatic)")
    }
  }

  @Test func `Every format that Apple's parser takes is parsed`() throws {
    for row in try rows("parse-ok", engines: ["parse", "both", "memory"]) {
      do {
        _ = try Condition(format: row.format, arguments: try row.arguments())
      } catch {
        Issue.record("\(row.id) \(row.format): \(error)")
      }
    }
  }

  @Test func `What cannot be parsed is refused`() throws {
    for row in try rows("parse-error", engines: ["parse"]) {
      let condition = try? Condition(format: row.format, arguments: try row.arguments())
      #expect(condition == nil, "\(row.id) \(row.format)")
    }
  }

  @Test func `Trees have the shape that Apple's parser builds`() throws {
    for row in try rows("tree", engines: ["parse"]) {
      let condition = try Condition(format: row.format, arguments: try row.arguments())
      #expect(condition == tree(try row.json("expected")), "\(row.id) \(row.format)")
    }
  }

  private func tree(_ json: JSON) -> Condition? {
    if let members = json["or"]?.elements { return .or(members.compactMap(tree)) }
    if let members = json["and"]?.elements { return .and(members.compactMap(tree)) }
    let relations: [String: Relation] = [
      "==": .equal, "<": .lessThan, "<=": .lessThanOrEqual, ">": .greaterThan,
      ">=": .greaterThanOrEqual, "CONTAINS": .contains, "IN": .in,
    ]
    guard let relation = json["cmp"]?.text.flatMap({ relations[$0] }),
      let left = json["left"].flatMap(term), let right = json["right"].flatMap(term)
    else { return nil }
    return .comparison(Comparison(left, relation, right))
  }

  private func term(_ json: JSON) -> Term? {
    if let path = json["keyPath"]?.text { return .keyPath(path) }
    if let constant = json["const"] { return .constant(Constant(SampleWorld().value(constant))) }
    guard let function = json["function"]?.text.flatMap(Function.init(selector:)),
      let arguments = json["args"]?.elements
    else { return nil }
    return .function(function, arguments.compactMap(term))
  }

  @Test func `Predicates print as Apple prints them`() throws {
    for row in try rows("format", engines: ["parse"]) {
      let condition = try Condition(format: row.format, arguments: try row.arguments())
      #expect(condition.format == (try row.json("expected")).text, "\(row.id)")
    }
  }

  @Test func `Equal formats give equal predicates, others do not`() throws {
    for row in try rows("same", "notsame", engines: ["parse"]) {
      let left = try Condition(format: row.format)
      let right = try Condition(format: try row.json("expected").text ?? "")
      #expect((left == right) == (row["kind"] == "same"), "\(row.id) \(row.format)")
    }
  }

  @Test func `Formats without placeholders survive printing and parsing`() throws {
    let files = ["cases.tsv", "wild.tsv"]
    for row in try files.flatMap({ try SharedCase.all($0) { !$0.format.contains("%") } }) {
      guard let condition = try? Condition(format: row.format) else { continue }
      let printed = condition.format
      #expect((try? Condition(format: printed)) == condition, "\(row.id) \(row.format) \(printed)")
    }
  }
}
