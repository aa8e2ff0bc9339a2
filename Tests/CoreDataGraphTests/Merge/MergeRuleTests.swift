// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph

@Suite struct MergeRuleTests {
  private static let triples: [(mine: Int, stored: Int, base: Int)] = (0..<27).map {
    ($0 % 3, $0 / 3 % 3, $0 / 9)
  }

  @Test("A property that one side changed is kept from that side by both rules by property")
  func oneSide() {
    for (mine, stored, base) in Self.triples where mine == base || stored == base {
      let changed = mine == base ? stored : mine
      #expect(MergeRule.storeTrump.value(mine: mine, stored: stored, base: base) == changed)
      #expect(MergeRule.objectTrump.value(mine: mine, stored: stored, base: base) == changed)
    }
  }

  @Test("A property that both changed goes by the rule's name")
  func bothSides() {
    for (mine, stored, base) in Self.triples where mine != base && stored != base {
      #expect(MergeRule.storeTrump.value(mine: mine, stored: stored, base: base) == stored)
      #expect(MergeRule.objectTrump.value(mine: mine, stored: stored, base: base) == mine)
    }
  }

  @Test("Overwrite and rollback take one side whole")
  func whole() {
    for (mine, stored, base) in Self.triples {
      #expect(MergeRule.overwrite.value(mine: mine, stored: stored, base: base) == mine)
      #expect(MergeRule.rollback.value(mine: mine, stored: stored, base: base) == stored)
    }
  }

  @Test("Members: each one is decided by itself, as in a set of marks")
  func members() {
    // Every combination of membership of three members on the three sides.
    for bits in 0..<512 {
      func side(_ shift: Int) -> [Int] { (0..<3).filter { bits >> (shift + $0) & 1 != 0 } }
      let (mine, stored, base) = (side(0), side(3), side(6))
      for rule in MergeRule.allCases {
        let wanted = (0..<3).filter { member in
          rule == .overwrite
            ? mine.contains(member)
            : rule == .rollback
              ? stored.contains(member)
              : base.contains(member)
                ? mine.contains(member) && stored.contains(member)
                : mine.contains(member) || stored.contains(member)
        }
        let merged = rule.members(mine: mine, stored: stored, base: base)
        #expect(merged.sorted() == wanted && Set(merged).count == merged.count)
      }
    }
  }

  @Test("Objects that one side deleted")
  func deletions() {
    #expect(
      MergeRule.allCases.allSatisfy {
        $0.outcome(mine: .deleted, stored: .deleted) == .deletedOnBothSides
      }
    )
    #expect(
      MergeRule.allCases.map { $0.outcome(mine: .changed, stored: .deleted) }
        == [.drop, .insertAgain, .insertAgain, .drop]
    )
    #expect(
      MergeRule.allCases.map { $0.outcome(mine: .deleted, stored: .changed) }
        == [.restore, .delete, .delete, .restore]
    )
    #expect(
      MergeRule.allCases.allSatisfy { $0.outcome(mine: .unchanged, stored: .deleted) == .drop }
    )
    #expect(
      MergeRule.allCases.allSatisfy { $0.outcome(mine: .changed, stored: .changed) == .merge }
    )
  }
}
