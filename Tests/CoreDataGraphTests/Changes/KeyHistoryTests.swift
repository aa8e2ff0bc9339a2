// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("History of keys")
struct KeyHistoryTests {
  private func temporary(_ number: Int) -> ObjectKey {
    .temporary(entity: 0, number: Int64(number))
  }

  private func permanent(_ number: Int) throws -> ObjectKey {
    try #require(ObjectKey(store: 0, entity: 0, number: Int64(number)))
  }

  /// A history of so many replacements.
  private func history(_ count: Int) throws -> KeyHistory {
    var history = KeyHistory()
    for number in 0..<count { history.record(temporary(number), replacedBy: try permanent(number)) }
    return history
  }

  @Test("A temporary key leads to the key that replaced it, any other key to itself")
  func currentKeys() throws {
    let history = try history(3)
    #expect(history.currentKey(for: temporary(2)) == (try permanent(2)))
    #expect(history.currentKey(for: temporary(3)) == temporary(3))
    #expect(history.permanentKey(for: try permanent(1)) == nil)
  }

  @Test("A permanent key and a key that stays are not recorded")
  func nothingToRecord() throws {
    var history = KeyHistory()
    history.record(try permanent(1), replacedBy: try permanent(2))
    history.record(temporary(1), replacedBy: temporary(1))
    #expect(history.count == 0)
  }

  @Test("A reader reads each replacement once, in the order in which they happened")
  func reading() throws {
    var history = KeyHistory()
    let reader = history.makeReader()
    #expect(history.isRecording && history.unreadChanges(by: reader).isEmpty)
    for number in 0..<3 { history.record(temporary(number), replacedBy: try permanent(number)) }
    #expect(history.unreadChanges(by: reader).map(\.old) == (0..<3).map(temporary))
    history.record(temporary(3), replacedBy: try permanent(3))
    #expect(history.unreadChanges(by: reader).map(\.old) == [temporary(3)])
    #expect(history.unreadChanges(by: reader).isEmpty)
  }

  @Test("Pruning keeps what is needed and what a living reader has not read")
  func pruning() throws {
    var history = try history(100)
    let slow = history.makeReader()
    var quick: KeyChangeReader? = history.makeReader()
    if let quick { _ = history.unreadChanges(by: quick) }
    history.prune { _ in false }
    #expect(history.count == 100)
    _ = history.unreadChanges(by: slow)
    history.record(temporary(100), replacedBy: try permanent(100))
    let needed = try permanent(7)
    history.prune { $0 == needed }
    #expect(history.count == 2 && history.currentKey(for: temporary(7)) == needed)
    #expect(history.unreadChanges(by: slow).map(\.old) == [temporary(100)])
    history.prune { _ in false }
    #expect(history.count == 1)
    quick = nil
    history.prune { _ in false }
    #expect(history.count == 0)
  }

  @Test("The table doubles between two prunings, so that recording stays cheap")
  func doubling() throws {
    var history = try history(63)
    #expect(!history.isDueForPruning)
    for number in 63..<100 { history.record(temporary(number), replacedBy: try permanent(number)) }
    #expect(history.isDueForPruning)
    history.prune { _ in true }
    #expect(history.count == 100 && !history.isDueForPruning)
    for number in 100..<200 { history.record(temporary(number), replacedBy: try permanent(number)) }
    #expect(history.isDueForPruning)
  }
}
