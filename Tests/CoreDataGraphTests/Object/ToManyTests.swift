// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import Testing

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
}
