// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The tutorial's “Bow Ties”: one on the screen at a time, worn and rated.
///
/// Reads commands: `show LETTER`, `wear 2026-01-31T08:00:00Z`, `rate NUMBER`.
@main
struct BowTiesProgram {
  static func main() throws {
    let wardrobe = Wardrobe(try CoreDataStack())
    try wardrobe.saveTestBowtie()
    try wardrobe.insertSampleData()
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      switch (words.first, words.dropFirst().first) {
      case ("show", let letter?): try wardrobe.segmentedControl(letter)
      case ("wear", let text?):
        guard let date = ISO8601DateFormatter().date(from: text) else {
          print("A date such as 2026-01-31T08:00:00Z, please.")
          continue
        }
        try wardrobe.wear(at: date)
      case ("rate", let text?): try wardrobe.rate(Double(text) ?? -1)
      default: print("show LETTER, wear DATE or rate NUMBER, please.")
      }
    }
  }
}
