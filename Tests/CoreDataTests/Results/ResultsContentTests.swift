// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataGraph

/// The two lists of a controller, without a controller.
@Suite("The content of a results controller")
struct ResultsContentTests {
  private final class Row {
    let number: Int
    init(_ number: Int) { self.number = number }
  }

  private func list(_ numbers: Int...) throws -> ResultsList {
    let number = { (row: AnyObject) in (row as? Row)?.number ?? 0 }
    return try ResultsList(
      sorted: numbers.map(Row.init),
      rules: ResultsRules(matches: { _ in true }, compare: { number($0) - number($1) })
    )
  }

  private func numbers(_ list: ResultsList?) -> [Int]? {
    list?.objects.compactMap { ($0 as? Row)?.number }
  }

  @Test("There is none before a fetch, and a fetched list is both current and displayed")
  func fetch() throws {
    let content = ResultsContent(isSectioned: false)
    #expect(content.currentList == nil)
    #expect(content.displayedList == nil)
    let fetched = try list(1, 2, 3)
    content.removeAll()
    content.replace(with: fetched)
    #expect(content.currentList === fetched)
    #expect(content.displayedList === fetched)
    #expect((content.object(at: IndexPath(row: 2, section: 0)) as? Row)?.number == 3)
    #expect(content.fetchCount == 1)
    content.removeAll()
    #expect(content.displayedList == nil)
    #expect(content.fetchCount == 2)
  }

  @Test("A copy of what is displayed stays the same while the current list changes")
  func copy() throws {
    let content = ResultsContent(isSectioned: false)
    let current = try list(1, 2, 3)
    content.replace(with: current)
    let old = try #require(content.displayedCopy())
    var touched = TouchedObjects()
    touched.removed = [current.objects[0]]
    // The changes hold the deleted object.
    let changes = current.apply(touched)
    content.display(old)
    #expect(numbers(content.displayedList) == [1, 2, 3])
    #expect(numbers(content.currentList) == [2, 3])
    // What is displayed does not change with the current list, so no copy of it is needed.
    #expect(content.displayedCopy() == nil)
    content.displayCurrentList()
    #expect(numbers(content.displayedList) == [2, 3])
    withExtendedLifetime(changes) {}
  }

  @Test("Content that goes back to what was displayed holds its objects and forgets the changes")
  func revert() throws {
    let content = ResultsContent(isSectioned: false)
    let current = try list(1, 2, 3)
    content.replace(with: current)
    let old = try #require(content.displayedCopy())
    do {
      var touched = TouchedObjects()
      touched.removed = [current.objects[0]]
      let changes = current.apply(touched)
      content.keepDisplaying(old)
      withExtendedLifetime(changes) {}
    }
    content.revertToDisplayedList()
    #expect(content.currentList === old)
    #expect(numbers(content.currentList) == [1, 2, 3])
  }
}
