// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Fetches with `fetchBatchSize = 20`; these are ours, not the contract's.
extension Bench {
  private static func request(isSorted: Bool = false) -> NSFetchRequest<Team> {
    let request = Team.fetchRequest() as NSFetchRequest<Team>
    request.fetchBatchSize = 20
    if isSorted { request.sortDescriptors = Self.order }
    return request
  }

  /// F1: a lazy fetch of all teams, and every attribute of the first.
  mutating func firstOfLazy(isSorted: Bool = false, index: ModelIndex = .none) throws {
    try first(index) { try $0.fetchLazily(Self.request(isSorted: isSorted)) }
  }

  /// F1: the same with an array of faults.
  mutating func firstOfArray() throws {
    try first(.none) { try $0.fetch(Self.request()) }
  }

  private mutating func first<Teams: RandomAccessCollection<Team>>(
    _ index: ModelIndex,
    fetch: (NSManagedObjectContext) throws -> Teams
  ) throws {
    let store = try sharedStore(index)
    for _ in 0..<options.repetitions {
      let context = store.context()
      try context.performAndWait {
        let teams = try measurement.time {
          let teams = try fetch(context)
          let sink = teams.first?.readAll() ?? 0
          withExtendedLifetime(sink) {}
          return teams
        }
        measurement.check = "\(teams.count):\(teams.first?.wins ?? -1)"
      }
    }
  }

  /// F2: a stream of all teams, and the wins of each.
  mutating func streamAll() throws {
    let store = try sharedStore()
    for _ in 0..<options.repetitions {
      let context = store.context()
      try context.performAndWait {
        let all = Self.request()
        all.fetchBatchSize = 500
        let wins = try measurement.time {
          var wins: Int64 = 0
          for team in try context.fetchStream(all) { wins += Int64(team.wins) }
          return wins
        }
        measurement.check = "\(count):\(wins)"
      }
    }
  }
}
