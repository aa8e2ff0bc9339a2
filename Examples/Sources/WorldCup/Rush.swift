// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Many changes a second in a context of its own, as of a busy feed: wins, teams that change their zone,
/// teams that join and leave.
struct Rush {
  let container: NSPersistentContainer
  let changesPerSecond: Int
  let seconds: Int

  /// What was saved, so that a reader can count whether it lost something.
  struct Tally: Sendable, Encodable {
    var changes = 0
    /// Wins that were added, without those of teams that left.
    var wins = 0
    var joined = 0
    var left = 0
  }

  private static let savesPerSecond = 20

  /// Saves on time, or as fast as it can where that is slower.
  func run() async throws -> Tally {
    let context = CoreDataStack.newContext(of: container)
    var ids = try await context.perform {
      let request = NSFetchRequest<NSManagedObjectID>(entityName: "Team")
      request.resultType = .managedObjectIDResultType
      return try context.fetch(request)
    }
    var tally = Tally()
    let start = ContinuousClock.now
    for number in 0..<seconds * Self.savesPerSecond where !ids.isEmpty {
      let due = start + .seconds(1) / Self.savesPerSecond * number
      if due > .now { try await Task.sleep(until: due, clock: .continuous) }
      let leaver = ids.remove(at: .random(in: ids.indices))
      let winners = (2..<changesPerSecond / Self.savesPerSecond).compactMap { _ in
        ids.randomElement()
      }
      let (joiner, wins) = try await context.perform {
        try Self.save(leaver: leaver, winners: winners, number: number, in: context)
      }
      ids.append(joiner)
      tally.wins += wins
      tally.joined += 1
      tally.left += 1
      tally.changes += 2 + winners.count
    }
    return tally
  }

  /// One save; gives the team that joins, and the wins that there are more.
  private static func save(
    leaver: NSManagedObjectID,
    winners: [NSManagedObjectID],
    number: Int,
    in context: NSManagedObjectContext
  ) throws -> (NSManagedObjectID, wins: Int) {
    var wins = winners.count
    for (index, id) in winners.enumerated() {
      guard let team = try context.existingObject(with: id) as? Team else { continue }
      team.wins += 1
      if index % 10 == 9 { team.qualifyingZone = Crowd.zone(of: number + index) }
    }
    if let team = try context.existingObject(with: leaver) as? Team {
      wins -= Int(team.wins)
      context.delete(team)
    }
    let team = Team(context: context)
    team.teamName = "Newcomer \(number)"
    team.qualifyingZone = Crowd.zone(of: number)
    team.imageName = "wenderland-flag"
    try context.save()
    return (team.objectID, wins)
  }
}
