// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Damaged copies of files, the same in every run.
package enum Damage {
  /// The number of variants: that of `COREDATA_DAMAGE_ROUNDS`, or `standard`.
  package static func rounds(_ standard: UInt64) -> UInt64 {
    ProcessInfo.processInfo.environment["COREDATA_DAMAGE_ROUNDS"].flatMap { UInt64($0) } ?? standard
  }

  /// Returns a copy of the bytes that was damaged in one to three of several ways.
  package static func copy(of data: Data, _ seed: UInt64) -> Data {
    var random = SeededNumbers(seed)
    var bytes = Array(data)
    for _ in 0...Int.random(in: 0..<3, using: &random) where !bytes.isEmpty {
      let place = Int.random(in: 0..<bytes.count, using: &random)
      let length = min(Int.random(in: 1...64, using: &random), bytes.count - place)
      switch Int.random(in: 0..<7, using: &random) {
      case 0: bytes[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
      case 1: bytes[place] = UInt8.random(in: 0...255, using: &random)
      case 2: bytes.removeSubrange(place..<place + length)
      case 3: bytes.insert(contentsOf: bytes[place..<place + length], at: place)
      case 4: bytes.removeSubrange(place...)
      case 5:
        for index in place..<place + length {
          bytes[index] = UInt8.random(in: 0...255, using: &random)
        }
      default:
        let other = Int.random(in: 0..<bytes.count, using: &random)
        bytes.swapAt(place, other)
      }
    }
    return Data(bytes)
  }
}

/// Numbers that look random and are the same in every run.
package struct SeededNumbers: RandomNumberGenerator {
  private var state: UInt64
  package init(_ seed: UInt64) { state = seed &* 0x9E37_79B9_7F4A_7C15 }
  package mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
