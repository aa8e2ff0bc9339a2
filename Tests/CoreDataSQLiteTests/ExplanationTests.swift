// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQLite
import _CoreDataStore

/// What a store tells of a fetch without answering it, and the indexes of a model.
@Suite("Explanations and fetch indexes")
struct ExplanationTests {
  private func explain(
    _ format: String,
    order: [SortKey] = [],
    limit: Int = 0,
    indexes: [FetchIndexDefinition] = []
  ) throws -> FetchExplanation {
    let fixture = try StoreFixture(model(indexes))
    var description = try fixture.description("Team", Condition(format: format))
    description.order = order
    description.limit = limit
    return try fixture.store.explain(description)
  }

  private func model(_ indexes: [FetchIndexDefinition]) -> ModelDraft {
    var model = Models.league
    model.entities[0].fetchIndexes = indexes
    return model
  }

  private func names(_ explanation: FetchExplanation) -> [String]? {
    explanation.advice?.elements.map { $0.property + ($0.isAscending ? "" : " descending") }
  }

  @Test("A scan that an index on the compared columns would save names it, equality first")
  func compared() throws {
    let explanation = try explain("wins > 3 AND founded == nil AND wins < 9")
    #expect(explanation.plan.scansTable)
    #expect(explanation.sql.hasPrefix("SELECT t0.Z_PK"))
    #expect(explanation.values == ["3", "9"])
    #expect(names(explanation) == ["founded", "wins"])
    #expect(explanation.advisedPlan?.scansTable == false)
  }

  @Test("A sort with a limit wants an index in its order")
  func sorted() throws {
    let order = [SortKey("wins", ascending: false), SortKey("founded")]
    let explanation = try explain("wins >= 0", order: order, limit: 10)
    #expect(explanation.plan.sorts)
    #expect(names(explanation) == ["wins descending", "founded"])
    #expect(explanation.advisedPlan?.sorts == false)
  }

  @Test("Without a limit rows are sorted in memory, and no index is asked for")
  func sortedInMemory() throws {
    let explanation = try explain("TRUEPREDICATE", order: [SortKey("wins")])
    #expect(explanation.sortsInMemory && !explanation.plan.sorts)
    #expect(explanation.advice == nil)
  }

  @Test(
    "Nothing is advised where the plan is good already, or no index could be used",
    arguments: ["name == 'a'", "name CONTAINS 'a'", "name BEGINSWITH[cd] 'a'", "wins + 1 > 3"]
  )
  func noAdvice(_ format: String) throws {
    #expect(try explain(format).advice == nil)
  }

  @Test("The part of a condition that SQL cannot say is named")
  func rest() throws {
    let explanation = try explain("wins > 3 AND median({wins, 1, 2}) > 1")
    #expect(explanation.rest?.format.contains("median") == true)
    #expect(explanation.values == ["3"])
  }

  @Test("An unknown key path is an error that names it")
  func unknown() throws {
    let error = #expect(throws: StoreError.self) { try explain("ghost == 1") }
    #expect(error?.message.contains("ghost") == true)
  }

  // MARK: Fetch indexes

  private func schema(_ indexes: [FetchIndexDefinition]) throws -> [String] {
    let fixture = try StoreFixture(model(indexes))
    fixture.store.close()
    return try RawDatabase.texts(
      fixture.path,
      "SELECT sql FROM sqlite_master WHERE type = 'index' AND name LIKE 'Z_Team_by%'"
    )
  }

  private func element(
    _ property: String,
    ascending: Bool = true,
    expression: Bool = false
  ) -> FetchIndexDefinition.Element {
    var element = FetchIndexDefinition.Element(property: property)
    element.isAscending = ascending
    element.isExpression = expression
    return element
  }

  @Test("Several and descending elements are columns of the index, as Apple's files have them")
  func descending() throws {
    let index = FetchIndexDefinition(
      name: "byWins",
      elements: [element("wins", ascending: false), element("name")]
    )
    #expect(
      try schema([index]) == [
        "CREATE INDEX Z_Team_byWins ON ZTEAM (ZWINS COLLATE BINARY DESC, ZNAME COLLATE BINARY ASC)"
      ]
    )
  }

  @Test("A partial index has its condition, values written out, and is used where it holds")
  func partial() throws {
    let index = FetchIndexDefinition(
      name: "byWinners",
      elements: [element("founded")],
      partialPredicate: "wins > 90 AND name != \"it's\""
    )
    let text = try #require(try schema([index]).first)
    #expect(text.hasPrefix("CREATE INDEX Z_Team_byWinners ON ZTEAM (ZFOUNDED COLLATE BINARY ASC)"))
    #expect(text.contains(" WHERE ") && !text.contains("?") && !text.contains("t0."))
    let plain = FetchIndexDefinition(
      name: "byWinners",
      elements: [element("founded")],
      partialPredicate: "wins > 90"
    )
    #expect(try schema([plain]).first?.hasSuffix("WHERE ZWINS > 90") == true)
  }

  @Test("An index on an expression of columns is made; one that needs our functions is not")
  func expressions() throws {
    let sum = FetchIndexDefinition(
      name: "bySum",
      elements: [element("wins + 1", expression: true)]
    )
    #expect(
      try schema([sum]) == ["CREATE INDEX Z_Team_bySum ON ZTEAM ((ZWINS + 1) COLLATE BINARY ASC)"]
    )
    let length = FetchIndexDefinition(
      name: "byLength",
      elements: [element("length(name)", expression: true)]
    )
    let related = FetchIndexDefinition(
      name: "byTags",
      elements: [element("name")],
      partialPredicate: "tags.@count > 1"
    )
    #expect(try schema([length, related]).isEmpty)
  }

  @Test(
    "An index whose condition or expression asks for the time is not made: the time would stay that of the making",
    arguments: [
      "founded > now()", "wins > 3 AND NOT founded <= now()",
      "founded > CAST(now(), 'NSNumber') - 5",
    ]
  )
  func momentary(predicate: String) throws {
    let index = FetchIndexDefinition(
      name: "byFuture",
      elements: [element("name")],
      partialPredicate: predicate
    )
    #expect(try schema([index]).isEmpty)
  }

  @Test("An index on an expression that asks for the time is not made")
  func momentaryExpression() throws {
    let index = FetchIndexDefinition(
      name: "byAge",
      elements: [element("now() - founded", expression: true)]
    )
    #expect(try schema([index]).isEmpty)
  }
}
