// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataSQL
import CoreDataStore
import Testing

@Suite("Statements as values")
struct StatementTests {
  private func planner() throws -> FetchPlanner {
    var draft = ModelDraft()
    var team = EntityDraft(name: "Team")
    team.properties = [
      PropertyDraft(name: "name", kind: .attribute(AttributeDefinition(type: .string))),
      PropertyDraft(name: "wins", kind: .attribute(AttributeDefinition(type: .integer32))),
    ]
    draft.entities = [team]
    return FetchPlanner(layout: try Layout(model: ModelDefinition(draft)), storeIndex: 0)
  }

  private func wins(over number: Int64) -> FetchDescription {
    var description = FetchDescription(entity: 0)
    description.condition = .comparison(
      Comparison(.keyPath("wins"), .greaterThan, .constant(Constant(.int(number))))
    )
    description.order = [SortKey("name", ascending: false)]
    description.limit = 5
    return description
  }

  @Test("A fetch reads one table, and equal shapes give equal texts")
  func text() throws {
    let planner = try planner()
    let one = try planner.plan(wins(over: 1)).statement
    #expect(
      one.text
        == "SELECT t0.Z_PK, t0.Z_OPT, t0.ZNAME, t0.ZWINS FROM ZTEAM AS t0 WHERE t0.ZWINS > ? "
        + "ORDER BY t0.ZNAME DESC LIMIT ?"
    )
    #expect(one.bindings == [.integer(1), .integer(5)])
    #expect(try planner.plan(wins(over: 2)).statement.text == one.text)
  }

  @Test("Places of ordered members: new ones at the end, in gaps, or all anew")
  func places() {
    #expect(MemberPlaces.changes([1, 2], stored: [:]) == [2048, 3072])
    #expect(MemberPlaces.changes([1, 2, 3], stored: [1: 2048, 2: 3072]) == [nil, nil, 4096])
    #expect(MemberPlaces.changes([1, 3, 2], stored: [1: 2048, 2: 3072]) == [nil, 2560, nil])
    #expect(MemberPlaces.changes([1, 3, 2], stored: [1: 5, 2: 6]) == [2048, 3072, 4096])
  }
}
