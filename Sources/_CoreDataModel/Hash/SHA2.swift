// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Computes a hash of bytes that are added in pieces: SHA-256 if `Word` is `UInt32`, SHA-512 if `Word` is
/// `UInt64`.
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

  /// Returns the hash of all added bytes; the hash has 32 or 64 bytes.
  package consuming func hash() -> Data {
    let bits = length &* 8
    update(CollectionOfOne(0x80))
    // The length field has two words. `bits` fills the last 8 bytes of the field, and the other bytes are
    // zero.
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
    pending.withUnsafeBufferPointer { block in
      state.withUnsafeMutableBufferPointer { Word.absorb(block, into: $0) }
    }
    pending.removeAll(keepingCapacity: true)
  }
}

package typealias SHA256 = SHA2<UInt32>
package typealias SHA512 = SHA2<UInt64>
