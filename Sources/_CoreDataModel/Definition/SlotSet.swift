// SPDX-License-Identifier: Apache-2.0

/// A set of slots of one entity, which allocates no memory for entities with up to 64 properties.
package struct SlotSet: Sendable, Hashable {
  private var first: UInt64 = 0
  /// One bit for each slot from 64 on, 64 bits per element.
  package private(set) var rest: [UInt64] = []
  package var bits: UInt64 { first }

  package init() {}
  /// Creates a set from one bit per slot: slots below 64 in `bits`, further slots in `rest`, 64 per element.
  package init(bits: UInt64, rest: [UInt64]) {
    first = bits
    self.rest = rest
  }
  package init(_ slots: some Sequence<Int>) { for slot in slots { insert(slot) } }

  package var isEmpty: Bool { first == 0 && rest.allSatisfy { $0 == 0 } }

  package func contains(_ slot: Int) -> Bool {
    if slot < 64 { return first >> UInt64(slot) & 1 != 0 }
    let index = slot / 64 - 1
    return index < rest.count && rest[index] >> UInt64(slot % 64) & 1 != 0
  }

  package mutating func insert(_ slot: Int) {
    if slot < 64 {
      first |= 1 << UInt64(slot)
    } else {
      let index = slot / 64 - 1
      while rest.count <= index { rest.append(0) }
      rest[index] |= 1 << UInt64(slot % 64)
    }
  }

  package mutating func remove(_ slot: Int) {
    if slot < 64 {
      first &= ~(1 << UInt64(slot))
    } else if slot / 64 - 1 < rest.count {
      rest[slot / 64 - 1] &= ~(1 << UInt64(slot % 64))
    }
  }

  package mutating func formUnion(_ other: SlotSet) {
    first |= other.first
    while rest.count < other.rest.count { rest.append(0) }
    for index in other.rest.indices { rest[index] |= other.rest[index] }
  }

  package static func == (left: SlotSet, right: SlotSet) -> Bool {
    guard left.first == right.first else { return false }
    for index in 0..<Swift.max(left.rest.count, right.rest.count) {
      let word: UInt64 = index < left.rest.count ? left.rest[index] : 0
      let other: UInt64 = index < right.rest.count ? right.rest[index] : 0
      if word != other { return false }
    }
    return true
  }

  package func hash(into hasher: inout Hasher) { hasher.combine(first) }
}

extension SlotSet: Sequence {
  /// Returns an iterator over the slots in ascending order.
  package func makeIterator() -> Iterator { Iterator(bits: first, rest: rest) }

  package struct Iterator: IteratorProtocol {
    fileprivate var bits: UInt64
    fileprivate let rest: [UInt64]
    private var word = 0

    fileprivate init(bits: UInt64, rest: [UInt64]) {
      self.bits = bits
      self.rest = rest
    }

    package mutating func next() -> Int? {
      while bits == 0 {
        word += 1
        guard word <= rest.count else { return nil }
        bits = rest[word - 1]
      }
      let slot = word * 64 + bits.trailingZeroBitCount
      bits &= bits - 1
      return slot
    }
  }
}
