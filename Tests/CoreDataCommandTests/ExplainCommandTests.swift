// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@Suite("coredata explain", .enabled(if: Fixtures.isThere, "no shared folder"), .needsCommand)
struct ExplainCommandTests {
  private func explain(_ arguments: String...) throws -> (Command.Outcome, unchanged: Bool) {
    let fixtures = try Fixtures()
    defer { fixtures.remove() }
    let store = try fixtures.store(Fixtures.journal)
    let model = try fixtures.model(Fixtures.journalModel)
    let before = try fixtures.state()
    let outcome = try Command.run(["explain", store] + arguments + ["--model", model])
    return (outcome, try fixtures.state() == before)
  }

  @Test("SQL, values, plan and the index that would help are printed; the file stays as it is")
  func advice() throws {
    let (outcome, unchanged) = try explain(
      "JournalEntry",
      "--predicate",
      "rating == 5",
      "--sort",
      "-date",
      "--limit",
      "10"
    )
    #expect(outcome.errors == "" && outcome.status == 0)
    #expect(outcome.output.contains("FROM ZJOURNALENTRY AS t0 WHERE t0.ZRATING = ?"))
    #expect(outcome.output.contains("value 1: 5"))
    #expect(outcome.output.contains("SCAN t0"))
    #expect(outcome.output.contains("USE TEMP B-TREE FOR ORDER BY"))
    #expect(outcome.output.contains("a fetch index on JournalEntry (rating, date descending)"))
    #expect(unchanged)
  }

  @Test("A condition that no index can answer says so")
  func noAdvice() throws {
    let (outcome, _) = try explain(
      "JournalEntry",
      "--predicate",
      "location CONTAINS[cd] 'a'"
    )
    #expect(outcome.status == 0)
    #expect(outcome.output.contains("no index on the properties of this fetch would improve"))
  }

  @Test("An unknown name exits with 2 and suggests the nearest")
  func unknown() throws {
    let (outcome, _) = try explain("JournalEntri")
    #expect(outcome.status == 2)
    #expect(outcome.errors.contains("JournalEntry"))
  }
}
