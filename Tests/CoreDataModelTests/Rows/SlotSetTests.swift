// SPDX-License-Identifier: Apache-2.0

import Testing
import _CoreDataModel

struct SlotSetTests {
  @Test func slotsBeyondTheFirstWordAreKeptInOrder() {
    let set = SlotSet([200, 0, 63, 64, 127, 128])
    #expect(Array(set) == [0, 63, 64, 127, 128, 200])
    #expect(set.contains(128) && !set.contains(129) && !set.contains(500))
  }

  @Test func randomEditsAgreeWithASetOfIntegers() {
    var state: UInt64 = 42
    var set = SlotSet()
    var plain: Set<Int> = []
    for _ in 0..<2000 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      let slot = Int(state >> 33) % 200
      if state >> 40 & 1 == 0 {
        set.insert(slot)
        plain.insert(slot)
      } else {
        set.remove(slot)
        plain.remove(slot)
      }
      #expect(set.contains(slot) == plain.contains(slot))
    }
    #expect(Array(set) == plain.sorted())
    #expect(set.isEmpty == plain.isEmpty)
  }

  @Test func equalityAndHashDoNotSeeRemovedWords() {
    var grown = SlotSet([3, 150])
    grown.remove(150)
    #expect(grown == SlotSet([3]))
    #expect(grown.hashValue == SlotSet([3]).hashValue)
    grown.remove(3)
    #expect(grown.isEmpty)
  }

  @Test func unionAndIntersectionReachEveryWord() {
    var set = SlotSet([1])
    set.formUnion(SlotSet([70, 140]))
    #expect(Array(set) == [1, 70, 140])
  }
}
