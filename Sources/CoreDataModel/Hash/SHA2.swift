// SPDX-License-Identifier: Apache-2.0

import Foundation

/// SHA-256 and SHA-512 of bytes given in pieces; the word's width decides which.
///
///     var hasher = SHA256()
///     hasher.update("Team")
///     let hash = hasher.hash()
///
/// Source: documented, FIPS 180-4.
package struct SHA2<Word: SHA2Word>: Sendable {
  private var state = Word.initialState
  private var pending: [UInt8] = []
  private var length: UInt64 = 0

  private static var blockSize: Int { Word.bitWidth * 2 }
  private static var wordSize: Int { Word.bitWidth / 8 }

  package init() { pending.reserveCapacity(Self.blockSize) }

  package mutating func update(_ bytes: some Sequence<UInt8>) {
    for byte in bytes {
      pending.append(byte)
      length &+= 1
      if pending.count == Self.blockSize { absorb() }
    }
  }

  package mutating func update(_ text: String) { update(text.utf8) }

  /// The hash of all that was given: 32 or 64 bytes.
  package consuming func hash() -> Data {
    let bits = length &* 8
    update(CollectionOfOne(0x80))
    // The length takes two words; the high one of SHA-512 is never used.
    while pending.count != Self.blockSize - 2 * Self.wordSize { update(CollectionOfOne(0)) }
    update(repeatElement(0, count: 2 * Self.wordSize - 8))
    update((0..<8).map { UInt8(truncatingIfNeeded: bits >> UInt64(56 - 8 * $0)) })
    var hash = Data(capacity: state.count * Self.wordSize)
    for word in state {
      for byte in 1...Self.wordSize {
        hash.append(UInt8(truncatingIfNeeded: word >> Word(Word.bitWidth - 8 * byte)))
      }
    }
    return hash
  }

  package static func hash(_ bytes: some Sequence<UInt8>) -> Data {
    var hasher = Self()
    hasher.update(bytes)
    return hasher.hash()
  }

  private mutating func absorb() {
    let schedule = schedule()
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    var (e, f, g, h) = (state[4], state[5], state[6], state[7])
    for (word, constant) in zip(schedule, Word.roundConstants) {
      let first = h &+ Word.sum1(e) &+ (e & f ^ ~e & g) &+ constant &+ word
      let second = Word.sum0(a) &+ (a & b ^ a & c ^ b & c)
      (h, g, f, e) = (g, f, e, d &+ first)
      (d, c, b, a) = (c, b, a, first &+ second)
    }
    for (index, word) in [a, b, c, d, e, f, g, h].enumerated() { state[index] &+= word }
    pending.removeAll(keepingCapacity: true)
  }

  private func schedule() -> [Word] {
    var words: [Word] = []
    words.reserveCapacity(Word.roundConstants.count)
    for start in stride(from: 0, to: Self.blockSize, by: Self.wordSize) {
      var word: Word = 0
      for byte in pending[start..<start + Self.wordSize] { word = word << 8 | Word(byte) }
      words.append(word)
    }
    for i in 16..<Word.roundConstants.count {
      words.append(
        words[i - 16] &+ Word.step0(words[i - 15]) &+ words[i - 7] &+ Word.step1(words[i - 2]))
    }
    return words
  }
}

package typealias SHA256 = SHA2<UInt32>
package typealias SHA512 = SHA2<UInt64>
