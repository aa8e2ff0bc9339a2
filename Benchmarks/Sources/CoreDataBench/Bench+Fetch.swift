// SPDX-License-Identifier: Apache-2.0

import CoreData

extension Bench {
  static var order: [NSSortDescriptor] {
    [
      NSSortDescriptor(key: "qualifyingZone", ascending: true),
      NSSortDescriptor(key: "wins", ascending: false),
      NSSortDescriptor(key: "teamName", ascending: true),
    ]
  }

  /// W2, W3: a fetch of all teams, and every attribute of each.
  mutating func fetchAll(isSorted: Bool = false, index: ModelIndex = .none) throws {
    try fetchAll(from: sharedStore(index), isSorted: isSorted)
  }

  /// With `ordersCheck`, the check is made in the order of the primary keys, for a store that returns any order.
  mutating func fetchAll(
    from store: Store,
    isSorted: Bool = false,
    ordersCheck: Bool = false
  ) throws {
    let request = Team.fetchRequest() as NSFetchRequest<Team>
    if isSorted { request.sortDescriptors = Self.order }
    try fetch(request, from: store) { teams in
      var hash: UInt64 = 0
      let ordered = ordersCheck ? teams.sorted { $0.rowNumber < $1.rowNumber } : teams
      for team in ordered {
        hash = hash &* 1_000_003 &+ UInt64(team.rowNumber)
        hash = hash &+ 7 &* UInt64(bitPattern: team.wins)
        hash = hash &+ UInt64(bitPattern: Int64(team.founded)) &+ 13 &* UInt64(team.textLength)
      }
      return "\(teams.count):\(hash)"
    }
  }

  /// W4: the teams that match, and every attribute of each.
  mutating func fetchMatching(_ format: String) throws {
    let store = try sharedStore()
    let request = Team.fetchRequest() as NSFetchRequest<Team>
    request.predicate = NSPredicate(format: format)
    try fetch(request, from: store) { teams in
      "\(teams.count):\(teams.reduce(0) { $0 + $1.rowNumber })"
    }
  }

  /// W5: how many match.
  mutating func countMatching() throws {
    let store = try sharedStore()
    for _ in 0..<options.repetitions {
      let context = store.context()
      let found = try context.performAndWait {
        let request = Team.fetchRequest() as NSFetchRequest<Team>
        request.predicate = NSPredicate(format: "wins > 50")
        return try measurement.time { try context.count(for: request) }
      }
      measurement.check = "\(found)"
    }
  }

  /// Each repetition in a context of its own, whose release is not timed.
  private mutating func fetch(
    _ request: NSFetchRequest<Team>,
    from store: Store,
    check: ([Team]) -> String
  ) throws {
    for repetition in 1...options.repetitions {
      let context = store.context()
      try context.performAndWait {
        let teams = try measurement.time {
          let teams = try context.fetch(request)
          var sink = 0
          for team in teams { sink &+= team.readAll() }
          withExtendedLifetime(sink) {}
          return teams
        }
        if repetition == options.repetitions { measurement.check = check(teams) }
      }
    }
  }
}
