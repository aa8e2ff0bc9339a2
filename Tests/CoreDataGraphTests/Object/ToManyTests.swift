// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataGraph
import _CoreDataModel

@Suite struct ToManyTests {
  private func key(_ number: Int64) throws -> ObjectKey {
    try #require(ObjectKey(store: 0, entity: 0, number: number))
  }

  @Test func whatIsAddedAndRemovedBeforeLoadingIsNoMemberEvenWhereTheStoreHasIt() throws {
    let (one, two) = (try key(1), try key(2))
    var members = ToMany(isOrdered: false, isNew: false)
    members.insert(one)
    members.remove(one)
    #expect(members.removed == [one] && members.added.isEmpty)
    members.load([one, two])
    #expect(members.keys == [two] && members.removed == [one])
  }

  @Test func whatIsRemovedAndAddedBeforeLoadingIsAMemberEvenWhereTheStoreHasItNot() throws {
    let (one, two) = (try key(1), try key(2))
    var members = ToMany(isOrdered: false, isNew: false)
    members.remove(one)
    members.insert(one)
    members.remove(two)
    members.load([])
    #expect(members.keys == [one] && members.added == [one] && members.removed.isEmpty)
    members.commit()
    #expect(members.stored == [one] && !members.hasChanges)
  }

  @Test func aMemberThatGoesAndComesBackIsThereOnceAndLast() throws {
    let keys = try (1...3).map { try key($0) }
    var members = ToMany(isOrdered: true, isNew: false)
    members.load(keys)
    for _ in 0..<3 {
      members.remove(keys[0])
      members.insert(keys[0])
    }
    #expect(members.keys == [keys[1], keys[2], keys[0]] && members.count == 3)
    #expect(members.added.isEmpty && members.removed.isEmpty && members.isReordered)
  }

  @Test func whatAMergeTakesOutAndPutsBackIsStoredOnceAndLast() throws {
    let keys = try (1...3).map { try key($0) }
    var members = ToMany(isOrdered: false, isNew: false)
    members.load(keys)
    members.setMembership(of: keys[0], isStored: false, isCurrent: false)
    members.setMembership(of: keys[1], isStored: false, isCurrent: true)
    members.setMembership(of: keys[0], isStored: true, isCurrent: true)
    #expect(members.stored == [keys[2], keys[0]] && members.added == [keys[1]])
    #expect(members.keys == [keys[1], keys[2], keys[0]])
    members.rollBack()
    #expect(members.keys == [keys[2], keys[0]])
  }

  /// Random changes and merges, against sets.
  @Test(arguments: 1...30 as ClosedRange<UInt64>)
  func aLoadedToManyIsWhatSetsWouldBe(seed: UInt64) throws {
    var random = LawRandom(seed: seed)
    let all = try (1...20).map { try key($0) }
    var stored = Set(all[..<10])
    var current = stored
    var members = ToMany(isOrdered: false, isNew: false)
    members.load(Array(all[..<10]))
    for _ in 0..<400 {
      let key = all[Int.random(in: 0..<20, using: &random)]
      switch Int.random(in: 0..<12, using: &random) {
      case 0...3: #expect(members.insert(key) == current.insert(key).inserted)
      case 4...7: #expect(members.remove(key) == (current.remove(key) != nil))
      case 8...9:
        let (isStored, isCurrent) = (random.chance(50), random.chance(50))
        let isSame = stored.contains(key) == isStored && current.contains(key) == isCurrent
        let has = members.hasMembership(of: key, isStored: isStored, isCurrent: isCurrent)
        #expect(has == isSame)
        members.setMembership(of: key, isStored: isStored, isCurrent: isCurrent)
        if isStored { stored.insert(key) } else { stored.remove(key) }
        if isCurrent { current.insert(key) } else { current.remove(key) }
      case 10 where random.chance(10):
        members.commit()
        stored = current
      case 11 where random.chance(10):
        members.rollBack()
        current = stored
      default: break
      }
      #expect(members.added == current.subtracting(stored))
      #expect(members.removed == stored.subtracting(current))
      if random.chance(90) { continue }
      #expect(members.keys.count == current.count && Set(members.keys) == current)
      #expect(members.stored?.count == stored.count && Set(members.stored ?? []) == stored)
    }
  }

  @Test(.enabled(if: WorkCounter.isCounting))
  func changesCostTheSameHoweverManyMembersThereAre() throws {
    func steps(_ count: Int) throws -> Int {
      let keys = try (1...Int64(2 * count)).map { try key($0) }
      let counted = WorkCounter.count {
        var members = ToMany(isOrdered: false, isNew: false)
        for key in keys[count...] { members.insert(key) }
        members.load(Array(keys[..<count]))
        for index in 0..<count {
          members.remove(keys[index])
          members.insert(keys[index])
          members.setMembership(
            of: keys[count + index],
            isStored: true,
            isCurrent: index.isMultiple(of: 2)
          )
          members.setMembership(
            of: keys[index],
            isStored: false,
            isCurrent: index.isMultiple(of: 3)
          )
        }
        _ = (members.keys, members.stored)
      }
      return try #require(counted)
    }
    let few = try steps(500)
    #expect(try few > 500 && Double(steps(1_000)) <= 2.2 * Double(few))
  }
}
