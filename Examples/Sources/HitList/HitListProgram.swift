// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation

/// The list of the tutorial's first chapter, in an order that its user drags it into.
///
/// Reads commands: `add NAME`, `move FROM TO` (rows from 1), `delete ROW`; prints the table after each.
@main
struct HitListProgram {
  static func main() {
    do {
      try run()
    } catch {
      FileHandle.standardError.write(Data("HitList: \(error.localizedDescription)\n".utf8))
      exit(1)
    }
  }

  private static func run() throws {
    let stack = try CoreDataStack()
    let table = try HitListTable(stack)
    table.show()
    while let line = readLine() {
      let words = line.split(separator: " ", maxSplits: 1).map(String.init)
      let numbers = (words.count > 1 ? words[1] : "").split(separator: " ").compactMap { Int($0) }
      switch (words.first, numbers.count) {
      case ("add", _) where words.count > 1: try table.save(name: words[1])
      case ("move", 2): try table.userMoves(row: numbers[0] - 1, to: numbers[1] - 1)
      case ("delete", 1): try table.delete(row: numbers[0] - 1)
      default: print("add NAME, move FROM TO or delete ROW, please.")
      }
      table.show()
    }
  }
}
