// SPDX-License-Identifier: Apache-2.0

import CoreData

extension Bench {
  /// W1: one save of N new objects, which are made before.
  mutating func insert(index: ModelIndex = .none, isFull: Bool = false) throws {
    for _ in 0..<options.repetitions {
      let store = try newStore(index: index, isFull: isFull)
      let context = store.context()
      try context.performAndWait {
        for row in 1...count { _ = Team(row: row, in: context) }
        try measurement.time { try context.save() }
        context.reset()
      }
      measurement.check = try store.sumCheck()
      try store.close()
    }
  }

  /// W1: 1,000 saves of one new object each.
  ///
  /// Making the object from ready values is inside the time, as an unsaved one would be saved with the first.
  mutating func commit(isFull: Bool = false) throws {
    let values = (1...1_000).map { Generator(row: $0) }
    for _ in 0..<options.repetitions {
      let store = try newStore(isFull: isFull)
      let context = store.context()
      try context.performAndWait {
        try measurement.time {
          for values in values {
            _ = Team(values, in: context)
            try context.save()
          }
        }
      }
      measurement.check = try store.sumCheck()
      try store.close()
    }
  }
}
