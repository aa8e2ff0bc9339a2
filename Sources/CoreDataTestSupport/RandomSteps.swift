// SPDX-License-Identifier: Apache-2.0

/// Pseudorandom numbers (SplitMix64) that are the same in every run with the same initial state.
package struct RandomSteps {
  package var state: UInt64

  package init(state: UInt64) { self.state = state }

  /// Returns the next pseudorandom number, from 0 to `limit` - 1.
  package mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((bits ^ bits >> 31) % UInt64(max(1, limit)))
  }
}
