// SPDX-License-Identifier: Apache-2.0

import CPlainSQLite
import CoreData

extension Bench {
  /// S1: one change and its save, in a context that holds N objects with their values.
  mutating func saveOne() throws {
    let store = try copiedStore()
    let context = store.context()
    try context.performAndWait {
      let request = Team.fetchRequest() as NSFetchRequest<Team>
      request.returnsObjectsAsFaults = false
      let teams = try context.fetch(request)
      // Not part of what is asked: compiling the statement.
      teams[0].wins += 1
      try context.save()
      for repetition in 1...options.repetitions {
        let team = teams[repetition * 31 % teams.count]
        try measurement.time {
          team.wins += 1
          try context.save()
        }
      }
    }
    try store.close()
    measurement.check = "\(count)"
  }

  /// S2: N faults in a context, without rows; says the bytes for each, what names it in the context
  /// and its place in the result included.
  mutating func registerFaults() throws {
    let store = try sharedStore()
    let request = Team.fetchRequest() as NSFetchRequest<Team>
    request.includesPropertyValues = false
    // What a first fetch leaves behind does not belong to the faults.
    let other = store.context()
    request.fetchLimit = 1
    _ = try other.performAndWait { try other.fetch(request) }
    request.fetchLimit = 0
    for _ in 0..<options.repetitions {
      let context = store.context()
      try context.performAndWait {
        let before = Self.allocatedBytes
        let teams = try measurement.time { try context.fetch(request) }
        let bytes = Double(Self.allocatedBytes - before) / Double(teams.count)
        measurement.check = "\(teams.count):\(Int(bytes.rounded()))"
      }
    }
  }

  /// Bytes that the program has allocated and not given back.
  static var allocatedBytes: Int {
    let info = mallinfo2()
    return Int(info.uordblks) + Int(info.hblkhd)
  }
}
