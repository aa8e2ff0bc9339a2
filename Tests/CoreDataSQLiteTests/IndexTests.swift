// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// Plain conditions are said so that SQLite uses the index of the column.
@Suite("Conditions and indexes")
struct IndexTests {
  @Test(
    "Plain conditions use the index",
    arguments: [
      "label == 'a'", "label BEGINSWITH 'ab'", "label LIKE 'ab*'", "label LIKE 'ab'",
      "label IN {'a', 'b'}", "label > 'a'", "label BETWEEN {'a', 'b'}", "label ==[n] 'a'",
      "label BEGINSWITH[n] 'a'", "label == 'a' AND ANY teams.wins > 3",
    ]
  )
  func indexed(format: String) throws {
    let plan = try plan(format)
    #expect(plan.contains("USING INDEX label_index"), "\(format): \(plan)")
  }

  @Test(
    "Other conditions read the table",
    arguments: ["label != 'a'", "noindex(label) == 'a'", "label == nil OR teams.@count > 1"]
  )
  func scanned(format: String) throws {
    #expect(try !plan(format).contains("label_index"), "\(format)")
  }

  @Test("A prefix ends before the next text that does not start with it")
  func prefixes() throws {
    let fixture = try StoreFixture(Models.league)
    for label in ["a", "ab", "abc", "ac", "b", "\u{D7FF}x", "\u{E000}", "\u{10FFFF}z"] {
      try fixture.insert("Tag", ["label": .text(label)])
    }
    for prefix in ["a", "ab", "\u{D7FF}", "\u{10FFFF}"] {
      let condition = Condition.comparison(
        Comparison(.keyPath("label"), .beginsWith, .constant(Constant(.text(prefix))))
      )
      let rows = try fixture.rows(fixture.description("Tag", condition))
      #expect(!rows.isEmpty)
      for row in try fixture.rows(fixture.description("Tag")) {
        guard case .text(let label)? = row.values["label"] else { continue }
        let isFound = rows.contains { $0.key == row.key }
        #expect(isFound == label.utf8.starts(with: prefix.utf8), "\(prefix) \(label)")
      }
    }
  }

  /// SQLite's plan for a fetch of tags, with an index on their labels.
  private func plan(_ format: String) throws -> String {
    let fixture = try StoreFixture(Models.league)
    let description = try fixture.description("Tag", Condition(format: format))
    let planner = FetchPlanner(layout: fixture.store.layout, storeIndex: 0)
    let statement = try planner.plan(description).statement
    fixture.store.close()
    _ = try RawDatabase.texts(fixture.path, "CREATE INDEX label_index ON ZTAG (ZLABEL)")
    let explained = "EXPLAIN QUERY PLAN \(statement.text)"
    return try RawDatabase.texts(fixture.path, explained, column: 3)
      .joined(separator: "\n")
  }
}
