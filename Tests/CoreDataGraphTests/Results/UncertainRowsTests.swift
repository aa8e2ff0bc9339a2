// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph

/// Rows that were compared with values of two moments.
@Suite("Rows whose places are uncertain")
struct UncertainRowsTests {
  private final class Row {
    var number: Int
    init(_ number: Int) { self.number = number }
  }

  private func list(of rows: [Row]) throws -> ResultsList {
    let number = { (row: AnyObject) in (row as? Row)?.number ?? 0 }
    return try ResultsList(
      sorted: rows,
      rules: ResultsRules(matches: { number($0) >= 0 }, compare: { number($0) - number($1) })
    )
  }

  /// The changes of a round that puts `row` at the end.
  private func move(_ row: Row, in list: ResultsList) -> ResultChanges {
    row.number += 10_000
    var touched = TouchedObjects()
    touched.changed = [row]
    return list.apply(touched)
  }

  @Test("They are checked as soon as all saves are merged, and once")
  func checkAfterMerge() throws {
    let rows = (0..<8).map(Row.init)
    let list = try list(of: rows)
    var uncertain = UncertainRows()
    uncertain.insert(placedBy: move(rows[2], in: list))
    let before = uncertain.removeRowsToCheck(in: list, hasUnmergedSaves: true)
    #expect(before.isEmpty)
    let check = uncertain.removeRowsToCheck(in: list, hasUnmergedSaves: false)
    #expect(check.map { $0 === rows[2] } == [true])
    let again = uncertain.removeRowsToCheck(in: list, hasUnmergedSaves: false)
    #expect(again.isEmpty)
  }

  @Test("A deleted row has no place to check")
  func deletion() throws {
    let rows = (0..<8).map(Row.init)
    let list = try list(of: rows)
    var touched = TouchedObjects()
    touched.removed = [rows[3]]
    var uncertain = UncertainRows()
    uncertain.insert(placedBy: list.apply(touched))
    let check = uncertain.removeRowsToCheck(in: list, hasUnmergedSaves: false)
    #expect(check.isEmpty)
  }

  @Test("When they have become many, the whole list is checked although saves are unmerged")
  func many() throws {
    let rows = (0..<400).map(Row.init)
    let list = try list(of: rows)
    var uncertain = UncertainRows()
    for row in rows.prefix(256) { uncertain.insert(placedBy: move(row, in: list)) }
    let few = uncertain.removeRowsToCheck(in: list, hasUnmergedSaves: true)
    #expect(few.isEmpty)
    uncertain.insert(placedBy: move(rows[256], in: list))
    let many = uncertain.removeRowsToCheck(in: list, hasUnmergedSaves: true)
    #expect(many.count == 400)
    let again = uncertain.removeRowsToCheck(in: list, hasUnmergedSaves: false)
    #expect(again.isEmpty)
  }
}
