// SPDX-License-Identifier: Apache-2.0

/// The contract's rows: row `i` is the same in every implementation.
struct Generator {
  static let zones = ["Africa", "Asia", "Europe", "North America", "Oceania", "South America"]

  let wins: Int64
  let zone: String
  let founded: Double
  let name: String
  let image: String

  init(row: Int) {
    var random = SplitMix(seed: UInt64(row))
    wins = Int64(random.next() % 100)
    zone = Self.zones[Int(random.next() % 6)]
    founded = Double(random.next() % 1_000_000_000) - 500_000_000 + 0.5
    name = Self.name(&random)
    let digits = String(row)
    image = "flag-" + String(repeating: "0", count: max(0, 6 - digits.count)) + digits
  }

  /// The zone after `zone`, around.
  static func zone(after zone: String?) -> String {
    zones[((zones.firstIndex { $0 == zone } ?? 0) + 1) % zones.count]
  }

  /// Position `index` of a visit of `count` rows in scattered order, from 1.
  static func scattered(_ index: Int, of count: Int) -> Int { 1 + (index * 611_953) % count }

  private static func name(_ random: inout SplitMix) -> String {
    let length = 8 + Int(random.next() % 13)
    var bytes: [UInt8] = []
    for _ in 0..<length {
      let number = random.next()
      let letter = UInt8(97 + number % 26)
      let isUpper = (number >> 40) % 8 == 0
      if (number >> 32) % 16 == 0, let accent = accents[letter] {
        bytes += [0xC3, isUpper ? accent - 0x20 : accent]
      } else {
        bytes.append(isUpper ? letter - 32 : letter)
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Letter → second byte of its accented form.
  private static let accents: [UInt8: UInt8] = [
    97: 0xA1, 101: 0xA9, 105: 0xAD, 111: 0xB3, 117: 0xBA, 110: 0xB1, 99: 0xA7,
  ]
}

private struct SplitMix {
  private static let step: UInt64 = 0x9E37_79B9_7F4A_7C15
  private var state: UInt64

  init(seed: UInt64) { state = seed &* Self.step }

  mutating func next() -> UInt64 {
    state &+= Self.step
    var mixed = state
    mixed = (mixed ^ (mixed >> 30)) &* 0xBF58_476D_1CE4_E5B9
    mixed = (mixed ^ (mixed >> 27)) &* 0x94D0_49BB_1331_11EB
    return mixed ^ (mixed >> 31)
  }
}
