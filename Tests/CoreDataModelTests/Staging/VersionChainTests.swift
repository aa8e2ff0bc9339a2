// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

/// Chains of versions, with steps as a set of pairs.
@Suite struct VersionChainTests {
  private func chain(_ start: Int, _ end: Int, _ steps: [(Int, Int)]) -> [Int]? {
    var asked: Set<[Int]> = []
    return VersionChain.from(start, to: end) { from, to in
      #expect(asked.insert([from, to]).inserted, "asked twice about \(from) and \(to)")
      #expect(from < to && to <= end)
      return steps.contains { $0 == (from, to) }
    }
  }

  @Test("The shortest chain leads through the fewest versions, the oldest first")
  func shortest() {
    #expect(chain(1, 3, [(1, 2), (2, 3)]) == [1, 2, 3])
    #expect(chain(1, 4, [(1, 2), (2, 3), (3, 4), (2, 4)]) == [1, 2, 4])
    #expect(chain(1, 4, [(1, 2), (1, 3), (2, 4), (3, 4)]) == [1, 2, 4])
    #expect(chain(1, 4, [(1, 4), (1, 2), (2, 4)]) == [1, 4])
  }

  @Test("No chain leads over a missing step, nor to older versions")
  func none() {
    #expect(chain(1, 4, [(1, 2), (3, 4)]) == nil)
    #expect(chain(1, 2, [(1, 3), (3, 2)]) == nil)
    #expect(chain(2, 1, [(2, 1)]) == nil)
    #expect(chain(2, 2, []) == [2])
  }
}
