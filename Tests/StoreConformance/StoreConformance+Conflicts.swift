// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Synchronization
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension StoreConformance {
  static let conflictChecks: [Check] = [
    Check("writes nothing where a version is not the expected one, and names the rows") { world in
      let keys = try world.teams(4)
      let ahead = try world.update(keys[0], ["wins": .int(1)], version: nil)
      try world.save { $0.updates = [ahead] }
      try world.save { $0.deletes = [SaveBatch.Delete(key: keys[1], expectedVersion: 1)] }
      let stale = try world.update(keys[0], ["wins": .int(2)], version: 1)
      let gone = try world.update(keys[1], ["wins": .int(2)], version: 1)
      let fine = try world.update(keys[2], ["wins": .int(2)], version: 1)
      let error = try expectError(.conflict, "a save of stale rows") {
        try world.save {
          $0.inserts = [try world.insert("Team", [:], key: world.temporary("Team", 1))]
          $0.updates = [stale, gone, fine]
          $0.deletes = [SaveBatch.Delete(key: keys[3], expectedVersion: 7)]
        }
      }
      try expect(Set(error.keys), [keys[0], keys[1], keys[3]], "rows in conflict")
      try expect(world.value(keys[0], "wins"), Constant(.int(1)), "wins of the stale row")
      try expect(world.value(keys[2], "wins"), Constant(.null), "wins of the fine row")
      try expect(world.count(world.request("Team")), 3, "rows")
    },
    Check("loses nothing where several threads save at once") { world in
      let key = try world.insert("Team", [["name": .text("A"), "wins": .int(0)]])[0]
      let failures = Mutex<[String]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { _ in
        do {
          for _ in 0..<25 { try increment(key, world) }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
      }
      try expect(failures.withLock { $0 }, [], "failures")
      try expect(world.value(key, "wins"), Constant(.int(100)), "wins")
      try expect(world.version(key), 101, "version")
    },
  ]

  /// Adds one win, and tries again where another thread was faster.
  private static func increment(_ key: ObjectKey, _ world: ConformanceWorld) throws {
    let slot = try world.slot("Team", "wins")
    while true {
      let rows = try world.store.rows(for: [key])
      let run = rows.runs[0]
      let wins = run.chunk.integer(run.first, slot)
      let update = try world.update(
        key,
        ["wins": .int(wins + 1)],
        version: run.chunk.version(run.first)
      )
      do {
        return try world.save { $0.updates = [update] }
      } catch let error as StoreError where error.code == .conflict {
        continue
      }
    }
  }
}
