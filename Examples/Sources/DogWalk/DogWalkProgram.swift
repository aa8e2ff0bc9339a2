// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The tutorial's “Dog Walk”: Fido and his walks, in the order in which they were taken.
///
/// Reads commands: `add 2026-01-31T08:00:00Z`, `delete ROW` (from 1); prints the list after each.
@main
struct DogWalkProgram {
  static func main() throws {
    let stack = try CoreDataStack()
    let walks = try DogWalks(stack, dogName: "Fido")
    walks.show()
    while let line = readLine() {
      let words = line.split(separator: " ").map(String.init)
      switch (words.first, words.dropFirst().first) {
      case ("add", let text?):
        guard let date = ISO8601DateFormatter().date(from: text) else {
          print("A date such as 2026-01-31T08:00:00Z, please.")
          continue
        }
        try walks.add(date)
      case ("delete", let text?): try walks.delete(row: (Int(text) ?? 0) - 1)
      default: print("add DATE or delete ROW, please.")
      }
      walks.show()
    }
  }
}
