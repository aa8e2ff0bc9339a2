// SPDX-License-Identifier: Apache-2.0

import CoreData

extension Bench {
  /// As W1, past the context: dictionaries that are made before.
  mutating func insertDictionaries() throws {
    let rows = (1...count).map { row -> [String: Any] in
      let values = Generator(row: row)
      return [
        "wins": Int(values.wins), "teamName": values.name,
        "founded": Date(timeIntervalSinceReferenceDate: values.founded),
        "qualifyingZone": values.zone, "imageName": values.image,
      ]
    }
    try insertBatch { _ in NSBatchInsertRequest(entityName: "Team", objects: rows) }
  }

  /// As W1, past the context: a handler sets an object's values, made before, by generated accessors.
  mutating func insertByHandler() throws {
    let rows = (1...count).map { Generator(row: $0) }
    try insertBatch { _ in
      var next = 0
      return NSBatchInsertRequest(
        entityName: "Team",
        managedObjectHandler: { object in
          guard next < rows.count, let team = object as? Team else { return true }
          let values = rows[next]
          next += 1
          team.wins = values.wins
          team.founded = values.founded
          team.teamName = values.name
          team.qualifyingZone = values.zone
          team.imageName = values.image
          return false
        }
      )
    }
  }

  private mutating func insertBatch(_ request: (Store) -> NSBatchInsertRequest) throws {
    for _ in 0..<options.repetitions {
      let store = try newStore()
      let context = store.context()
      let request = request(store)
      try context.performAndWait {
        _ = try measurement.time { try context.execute(request) }
      }
      measurement.check = try store.sumCheck()
      try store.close()
    }
  }

  /// W7: one more win for every team, in the store.
  mutating func updateBatch() throws {
    try changeBatch { _ in
      let request = NSBatchUpdateRequest(entityName: "Team")
      request.propertiesToUpdate = ["wins": NSExpression(format: "wins + 1")]
      return request
    }
  }

  /// W8: the deletion of every other team, in the store, by IDs that are made before.
  ///
  /// With `isScattered` half of the teams, one of two neighbours at random.
  mutating func deleteBatch(isScattered: Bool = false) throws {
    let count = count
    try changeBatch { store in
      let ids = try stride(from: 2, through: count, by: 2).map { number in
        let isOdd = isScattered && Generator(row: number).wins % 2 == 1
        return try store.objectID("Team", isOdd ? number - 1 : number)
      }
      return NSBatchDeleteRequest(objectIDs: ids)
    }
  }

  /// Each repetition on a fresh copy.
  private mutating func changeBatch(
    _ request: (Store) throws -> NSPersistentStoreRequest
  ) throws {
    for _ in 0..<options.repetitions {
      let store = try copiedStore(leavesPlayers: true)
      let context = store.context()
      let request = try request(store)
      try context.performAndWait {
        _ = try measurement.time { try context.execute(request) }
      }
      measurement.check = try store.sumCheck()
      try store.close()
    }
  }
}
