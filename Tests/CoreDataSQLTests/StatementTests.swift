// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

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
    #expect(OrderPositions.changes([1, 2], stored: [:]) == [2048, 3072])
    #expect(OrderPositions.changes([1, 2, 3], stored: [1: 2048, 2: 3072]) == [nil, nil, 4096])
    #expect(OrderPositions.changes([1, 3, 2], stored: [1: 2048, 2: 3072]) == [nil, 2560, nil])
    #expect(OrderPositions.changes([1, 3, 2], stored: [1: 5, 2: 6]) == [2048, 3072, 4096])
  }

  /// The condition of `SELF IN` for keys of these numbers, with its bindings.
  private func membership(_ numbers: [Int64]) throws -> (text: Substring, bindings: [Binding]) {
    let keys = numbers.compactMap { ObjectKey(store: 0, entity: 0, number: $0) }
    var description = FetchDescription(entity: 0)
    let list = Value.collection(ValueCollection(.array, keys.map(Value.key)))
    description.condition = .comparison(
      Comparison(.evaluatedObject, .in, .constant(Constant(list)))
    )
    let statement = try planner().plan(description).statement
    return (statement.text.split(separator: " WHERE ")[1], statement.bindings)
  }

  @Test("Many keys close together become bits; keys far apart stay a list")
  func bits() throws {
    let few = Array(stride(from: Int64(1000), through: 1100, by: 2)) + [1011]
    let close = try membership(few.reversed())
    #expect(close.text == "(t0.Z_PK BETWEEN ? AND ? AND CDHasNumber(?, t0.Z_PK))")
    #expect(close.bindings.prefix(2) == [.integer(1000), .integer(1100)])
    let last = try #require(close.bindings.last)
    guard case .blob(let bits) = last else { throw Unexpected(binding: last) }
    let found = bits.withUnsafeBytes { bits in
      ([-1, 0, Int64.max] + (900...1200)).filter { NumberBits.contain($0, in: bits) }
    }
    #expect(found == few.sorted())
    let far = try membership((1...50).map { $0 * 100 })
    #expect(far.text == "t0.Z_PK IN (SELECT value FROM json_each(?))")
    #expect(try membership([1, ObjectKey.maximumNumber] + few).text == far.text)
  }

  @Test("Keys in equal steps become a range; one that comes twice in place of another does not")
  func ranges() throws {
    let run = try membership((1...50).shuffled() + [7])
    #expect(run.text == "(t0.Z_PK BETWEEN ? AND ?)")
    #expect(run.bindings == [.integer(1), .integer(50)])
    let even = try membership(stride(from: 1002, through: 1202, by: 4).shuffled())
    #expect(even.text == "(t0.Z_PK BETWEEN ? AND ? AND t0.Z_PK % ? = ?)")
    #expect(even.bindings == [1002, 1202, 4, 2].map(Binding.integer))
    let twice = stride(from: Int64(1000), through: 1200, by: 4).map { $0 == 1100 ? 1104 : $0 }
    #expect(try membership(twice).text.contains("CDHasNumber"))
    #expect(try membership(Array(1...50) + [52]).text.contains("CDHasNumber"))
  }

  @Test("A batch delete by keys asks for their range, or few one by one; other stores' name no row")
  func deletionByKeys() throws {
    func delete(_ keys: [ObjectKey?]) throws -> Statement? {
      let rows = FetchDescription(entity: 0)
      let delete = BatchDelete(rows: rows, keys: keys.compactMap { $0 }, report: [])
      return try BatchDeletePlan(delete, planner: planner()).direct
    }
    let many = try delete((1...50).map { ObjectKey(store: 0, entity: 0, number: $0) })
    #expect(many?.text == "DELETE FROM ZTEAM AS t0 WHERE (t0.Z_PK BETWEEN ? AND ?)")
    let few = try delete([
      ObjectKey(store: 0, entity: 0, number: 7), ObjectKey(store: 1, entity: 0, number: 8),
    ])
    #expect(few?.text == "DELETE FROM ZTEAM AS t0 WHERE t0.Z_PK IN (?)")
    #expect(few?.bindings == [.integer(7)])
    #expect(try delete([])?.text == "DELETE FROM ZTEAM AS t0 WHERE t0.Z_PK IN ()")
  }

  private struct Unexpected: Error { let binding: Binding }

  @Test("The code of a call names its function and the kinds of its arguments")
  func valueCallCodes() throws {
    var codes: Set<Int64> = []
    for function in Function.allCases {
      let kinds = (0..<function.arity).map { $0 == 0 ? ValueCall.Kind.data : .text }
      let call = try #require(ValueCall(function, kinds), "\(function)")
      #expect(ValueCall(code: call.code, arguments: function.arity) == call, "\(function)")
      #expect(codes.insert(call.code).inserted, "\(function)")
    }
    #expect(ValueCall(code: 0xFF, arguments: 1) == nil)
    #expect(ValueCall(code: -1, arguments: 1) == nil)
  }
}
