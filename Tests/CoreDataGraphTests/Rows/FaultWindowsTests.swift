// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite("Fault windows")
struct FaultWindowsTests {
  private func keys(_ range: Range<Int64>) throws -> [ObjectKey] {
    try range.map { try #require(ObjectKey(store: 0, entity: 0, number: $0)) }
  }

  @Test("A fault is in the batch that its position falls into; the last one may be short")
  func batches() throws {
    var windows = FaultWindows()
    let keys = try keys(1..<11)
    let first = windows.open(keys, size: 4, paths: [["author"]], realizes: true)
    for (position, key) in keys.enumerated() {
      let batch = try #require(windows.batch(of: key, at: first + position))
      let start = position / 4 * 4
      #expect(Array(batch.keys) == Array(keys[start..<min(start + 4, 10)]))
      #expect(batch.paths == [["author"]] && batch.realizes)
    }
  }

  @Test("A position with another key, of no fetch or of a closed one has no batch")
  func unknown() throws {
    var windows = FaultWindows()
    let keys = try keys(1..<5)
    let first = windows.open(keys, size: 2)
    #expect(windows.batch(of: keys[1], at: first) == nil)
    #expect(windows.batch(of: keys[0], at: 0) == nil)
    #expect(windows.batch(of: keys[0], at: first + 4) == nil)
    windows.close()
    #expect(windows.batch(of: keys[0], at: first) == nil)
  }

  @Test("The keys of the newest 16 fetches are held")
  func limit() throws {
    var windows = FaultWindows()
    let keys = try keys(1..<3)
    let starts = (0..<17).map { _ in windows.open(keys, size: 1) }
    #expect(windows.batch(of: keys[0], at: starts[0]) == nil)
    #expect(starts.dropFirst().allSatisfy { windows.batch(of: keys[0], at: $0) != nil })
  }
}
