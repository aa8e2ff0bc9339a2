// SPDX-License-Identifier: Apache-2.0

import PredicateCases
import Testing
import _CoreDataModel
import _CoreDataPredicate

/// The shared cases that are evaluated in memory; a failure names the row.
@Suite(.enabled(if: Shared.hasCases, "no shared cases: set COREDATA_SHARED"))
struct SharedEvaluationTests {
  private func rows(_ kinds: String...) throws -> [SharedCase] {
    try SharedCase.all("cases.tsv") {
      $0.targets.contains(.memory) && kinds.contains($0["kind"])
    }
  }

  @Test func `Every row has a place, and the memory's kinds are all run here`() throws {
    let all = try SharedCase.all("cases.tsv") { _ in true }
    #expect(all.count == 1261)
    #expect(all.count { $0.targets.contains(.format) } == 224)
    #expect(all.count { $0.targets.contains(.memory) } == 1011)
    #expect(all.count { $0.targets.contains(.store) } == 526)
    #expect(all.count { $0.targets.isEmpty } == 19)
    #expect(try rows("eval", "filter", "count", "throws").count == 1011)
  }

  @Test func `Evaluation in memory gives the expected answers`() throws {
    let sets = try SampleSets()
    var agreed = 0
    for row in try rows("eval") {
      do {
        let subject = sets.subject(try row.json("object"))
        var variables: [String: Value] = [:]
        if case .object(let members) = try row.json("vars") {
          variables = members.mapValues { subject.world.value($0) }
        }
        let condition = try Condition(
          format: row.format,
          arguments: try row.arguments(subject.world)
        )
        let holds = try condition.evaluate(with: subject.root, variables: variables)
        let general = try condition.generalForm.evaluate(with: subject.root, variables: variables)
        let expected = try row.json("expected") == .bool(true)
        #expect(holds == expected, "\(row.id) \(row.format) \(row["object"])")
        #expect(general == expected, "\(row.id) \(row.format)")
        agreed += holds == expected ? 1 : 0
      } catch {
        Issue.record("\(row.id) \(row.format): \(error)")
      }
    }
    #expect(agreed == 201)
  }

  @Test func `Filtering in memory gives the expected objects`() throws {
    let sets = try SampleSets()
    var agreed = 0
    for row in try rows("filter", "count") {
      do {
        let subject = sets.subject(try row.json("object"))
        let condition = try Condition(
          format: row.format,
          arguments: try row.arguments(subject.world)
        )
        let prepared = PreparedCondition(condition)
        let general = PreparedCondition(condition.generalForm)
        let others = try subject.candidates.filter { try general.holds(for: $0.value) }
        let chosen = try subject.candidates.filter { try prepared.holds(for: $0.value) }
        #expect(others.map(\.id) == chosen.map(\.id), "\(row.id) \(row.format)")
        let expected = try row.json("expected")
        let agrees =
          if case .int(let count) = expected {
            Int64(chosen.count) == count
          } else {
            Set(chosen.map(\.id)) == Set(expected.elements)
          }
        #expect(agrees, "\(row.id) \(row.format) \(row["object"])")
        agreed += agrees ? 1 : 0
      } catch {
        Issue.record("\(row.id) \(row.format): \(error)")
      }
    }
    #expect(agreed == 806)
  }

  @Test func `What Apple answers with an exception is an error`() throws {
    let sets = try SampleSets()
    var refused = 0
    for row in try rows("throws") {
      let subject = sets.subject(try row.json("object"))
      let condition = try Condition(format: row.format, arguments: try row.arguments(subject.world))
      let root = subject.candidates.first?.value ?? subject.root
      let error = #expect(throws: EvaluationError.self, "\(row.id) \(row.format)") {
        _ = try condition.evaluate(with: root)
      }
      #expect(error?.code == .invalidArgument, "\(row.id)")
      #expect(throws: EvaluationError.self, "\(row.id) \(row.format)") {
        _ = try condition.generalForm.evaluate(with: root)
      }
      refused += error == nil ? 0 : 1
    }
    #expect(refused == 4)
  }

  @Test func `Trees that are built in code print as Apple prints them`() throws {
    func equal(_ key: String, _ number: Int64) -> Condition {
      .comparison(Comparison(.keyPath(key), .equal, .constant(Constant(.int(number)))))
    }
    func numbers(_ left: Int64, _ relation: Relation, _ right: Int64) -> Condition {
      .comparison(
        Comparison(.constant(Constant(.int(left))), relation, .constant(Constant(.int(right))))
      )
    }
    let built: [String: Condition] = [
      "P0422": .or([
        .and([
          .and([equal("X", 10), equal("V", 11)]), .or([equal("Y", 30), equal("W", 5)]),
        ]),
        .or([equal("Z", 20), .and([equal("K", 40), equal("C", 11)])]),
      ]),
      "P0424": .or([
        .and([equal("X", 10), equal("Y", 30)]), .or([equal("Z", 20), equal("K", 40)]),
      ]),
      "P0426": .or([
        .or([numbers(1, .equal, 1), numbers(1, .notEqual, 0)]), numbers(1, .notEqual, 2),
      ]),
    ]
    let rows = try SharedCase.all("cases.tsv") { $0.format.hasPrefix("(programmatic)") }
    #expect(Set(rows.map(\.id)) == Set(built.keys))
    for row in rows {
      #expect(built[row.id]?.format == (try row.json("expected")).text, "\(row.id)")
    }
  }
}
