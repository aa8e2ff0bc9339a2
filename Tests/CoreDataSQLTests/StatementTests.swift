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

  @Test("Many keys close together become bits; keys far apart stay a list")
  func bits() throws {
    func statement(_ numbers: [Int64]) throws -> Statement {
      let keys = numbers.compactMap { ObjectKey(store: 0, entity: 0, number: $0) }
      var description = FetchDescription(entity: 0)
      let list = Value.collection(ValueCollection(.array, keys.map(Value.key)))
      description.condition = .comparison(
        Comparison(.evaluatedObject, .in, .constant(Constant(list)))
      )
      return try planner().plan(description).statement
    }
    let even = Array(stride(from: Int64(1000), through: 1100, by: 2))
    let close = try statement(even.reversed())
    #expect(close.text.hasSuffix("WHERE (t0.Z_PK BETWEEN ? AND ? AND CDHasNumber(?, t0.Z_PK))"))
    #expect(close.bindings.prefix(2) == [.integer(1000), .integer(1100)])
    let last = try #require(close.bindings.last)
    guard case .blob(let bits) = last else { throw Unexpected(binding: last) }
    let found = bits.withUnsafeBytes { bits in
      ([-1, 0, Int64.max] + (900...1200)).filter { NumberBits.contain($0, in: bits) }
    }
    #expect(found == even)
    let far = try statement((1...50).map { $0 * 100 })
    #expect(far.text.hasSuffix("WHERE t0.Z_PK IN (SELECT value FROM json_each(?))"))
    #expect(try statement([1, ObjectKey.maximumNumber] + even).text == far.text)
  }

  private struct Unexpected: Error { let binding: Binding }
}
