// SPDX-License-Identifier: Apache-2.0

import CoreData

/// The workloads of a store in the PostgreSQL database of `COREDATA_POSTGRES_URL`.
extension Bench {
  /// G1: one save of N new objects, which are made before, in a store without objects.
  mutating func saveToServer() throws {
    for repetition in 0...options.repetitions {
      let store = try serverStore()
      let context = store.context()
      try context.performAndWait {
        for row in 1...count { _ = Team(row: row, in: context) }
        // The first save is not measured, as that of the limit is not.
        if repetition == 0 {
          try context.save()
        } else {
          try measurement.time { try context.save() }
        }
        context.reset()
      }
      measurement.check = try store.sumCheck()
      try store.destroy()
    }
  }

  /// G2: a fetch of all teams, and every attribute of each.
  mutating func fetchFromServer() throws {
    let store = try filledServerStore()
    try fetchAll(from: store, ordersCheck: true)
    try store.destroy()
  }

  /// G3: 1,000 loaded objects changed and saved.
  mutating func changeOnServer() throws {
    let store = try filledServerStore()
    let ids = try (0..<1_000).map { try store.objectID("Team", 1 + $0 * 611_953 % count) }
    for repetition in 1...options.repetitions {
      let context = store.context()
      try context.performAndWait {
        let request = Team.fetchRequest() as NSFetchRequest<Team>
        request.predicate = NSPredicate(format: "SELF IN %@", ids)
        request.returnsObjectsAsFaults = false
        let teams = try context.fetch(request).sorted { $0.rowNumber < $1.rowNumber }
        try measurement.time {
          for (index, team) in teams.enumerated() { team.wins = Int64(repetition + index % 50) }
          try context.save()
        }
      }
    }
    measurement.check = try store.sumCheck()
    try store.destroy()
  }

  private func filledServerStore() throws -> Store {
    let store = try serverStore()
    let context = store.context()
    try context.performAndWait {
      for row in 1...count { _ = Team(row: row, in: context) }
      try context.save()
      context.reset()
    }
    return store
  }

  /// A new store in the schema `bench_ours`, which is dropped first.
  private func serverStore() throws -> Store {
    guard let text = ProcessInfo.processInfo.environment["COREDATA_POSTGRES_URL"],
      let url = URL(string: text)
    else { throw BenchError.noServer }
    return try Store(server: url, schema: "bench_ours")
  }
}
