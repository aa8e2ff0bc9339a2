// SPDX-License-Identifier: Apache-2.0

import CoreData

extension Bench {
  /// W9: teams by ID, in scattered order, and every attribute of each.
  mutating func lookUp() throws {
    let store = try sharedStore()
    let ids = try (0..<min(count, 100_000)).map {
      try store.objectID("Team", Generator.scattered($0, of: count))
    }
    for _ in 0..<options.repetitions {
      let context = store.context()
      try context.performAndWait {
        let teams = try measurement.time {
          var teams: [NSManagedObject] = []
          var sink = 0
          for id in ids {
            let object = try context.existingObject(with: id)
            sink &+= (object as? Team)?.readAll() ?? 0
            teams.append(object)
          }
          withExtendedLifetime(sink) {}
          return teams
        }
        let wins = teams.reduce(0) { $0 + (($1 as? Team)?.wins ?? 0) }
        measurement.check = "\(teams.count):\(wins)"
      }
    }
  }

  /// Through what W10 comes to the players of a team.
  enum Members {
    /// `mutableSetValue(forKey:)`, which reads the relationship itself.
    case relationship
    /// `team.players`: Foundation's set, filled anew.
    case foundationSet
  }

  /// W10: 1,000 teams, then the 100 players of each through the relationship, one to-many fault each
  /// or all read with the teams.
  mutating func visitMembers(prefetching: Bool = false, by members: Members = .relationship) throws
  {
    let store = try sharedStore()
    let request = Team.fetchRequest() as NSFetchRequest<Team>
    request.predicate = NSPredicate(
      format: "SELF IN %@",
      try (1...1_000).map { try store.objectID("Team", $0) }
    )
    if prefetching { request.relationshipKeyPathsForPrefetching = ["players"] }
    for _ in 0..<options.repetitions {
      let context = store.context()
      try context.performAndWait {
        let (teams, players, sum) = try measurement.time {
          let teams = try context.fetch(request)
          // Kept, so that the context keeps its objects as the other implementations do.
          var players: [Player] = []
          var sets: [NSSet] = []
          var sum: Int64 = 0
          for team in teams {
            switch members {
            case .relationship:
              for case let player as Player in team.mutableSetValue(forKey: "players") {
                players.append(player)
                sum += player.number
              }
            case .foundationSet:
              guard let set = team.players else { continue }
              sets.append(set)
              for case let player as Player in set { sum += player.number }
            }
          }
          return (teams, (players, sets), sum)
        }
        withExtendedLifetime(teams) {}
        let count = players.0.count + players.1.reduce(0) { $0 + $1.count }
        measurement.check = "\(count):\(sum)"
      }
    }
  }
}
