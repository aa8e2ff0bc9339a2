// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Computes the text that distinguishes the symbols of private declarations in different files.
///
/// Source: observed, Swift 6.3: the MD5 digest of the module's name followed by the file's name.
package enum SourceDiscriminator {
  /// Returns the discriminator of the private declarations of a file.
  package static func text(module: String, fileName: String) -> String {
    let digest = MD5.digest(of: Array(module.utf8) + Array(fileName.utf8))
    let digits = Array("0123456789ABCDEF".utf8)
    let bytes = digest.flatMap { [digits[Int($0 >> 4)], digits[Int($0 & 15)]] }
    return "_" + String(decoding: bytes, as: UTF8.self)
  }
}

/// MD5 (RFC 1321), which the compiler uses for names only.
package enum MD5 {
  package static func digest(of message: [UInt8]) -> [UInt8] {
    var bytes = message + [0x80]
    while bytes.count % 64 != 56 { bytes.append(0) }
    let length = UInt64(message.count) &* 8
    bytes += (0..<8).map { UInt8(truncatingIfNeeded: length >> (8 * UInt64($0))) }
    var state: [UInt32] = [0x6745_2301, 0xEFCD_AB89, 0x98BA_DCFE, 0x1032_5476]
    for start in stride(from: 0, to: bytes.count, by: 64) {
      add(block: Array(bytes[start..<start + 64]), to: &state)
    }
    return state.flatMap { word in
      (0..<4).map { UInt8(truncatingIfNeeded: word >> (8 * UInt32($0))) }
    }
  }

  private static func add(block: [UInt8], to state: inout [UInt32]) {
    let words = (0..<16).map { index -> UInt32 in
      var word: UInt32 = 0
      for byte in block[index * 4..<index * 4 + 4].reversed() { word = word << 8 | UInt32(byte) }
      return word
    }
    var (a, b, c, d) = (state[0], state[1], state[2], state[3])
    for step in 0..<64 {
      let mix: UInt32
      let index: Int
      switch step / 16 {
      case 0: (mix, index) = (b & c | ~b & d, step)
      case 1: (mix, index) = (d & b | ~d & c, (5 * step + 1) % 16)
      case 2: (mix, index) = (b ^ c ^ d, (3 * step + 5) % 16)
      default: (mix, index) = (c ^ (b | ~d), 7 * step % 16)
      }
      let sum: UInt32 = a &+ mix &+ sines[step] &+ words[index]
      let shift = shifts[step / 16][step % 4]
      let turned: UInt32 = sum << shift | sum >> (32 - shift)
      (a, d, c) = (d, c, b)
      b = b &+ turned
    }
    state = [state[0] &+ a, state[1] &+ b, state[2] &+ c, state[3] &+ d]
  }

  private static let shifts: [[UInt32]] = [
    [7, 12, 17, 22], [5, 9, 14, 20], [4, 11, 16, 23], [6, 10, 15, 21],
  ]
  private static let sines: [UInt32] = (1...64).map { UInt32(abs(sin(Double($0))) * 4_294_967_296) }
}
