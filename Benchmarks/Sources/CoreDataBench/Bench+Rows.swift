// SPDX-License-Identifier: Apache-2.0

import CoreData

extension Bench {
  /// W7: one more win for every team, and a save.
  mutating func updateRows() throws {
    try changeRows { teams, _ in
      for team in teams { team.wins += 1 }
    }
  }

  /// W8: the deletion of every other team, and a save.
  mutating func deleteRows() throws {
    try changeRows { teams, context in
      for team in teams { context.delete(team) }
    } where: {
      $0.rowNumber.isMultiple(of: 2)
    }
  }

  /// Each repetition on a fresh copy, with the objects loaded before.
  private mutating func changeRows(
    _ change: ([Team], NSManagedObjectContext) -> Void,
    where isWanted: (Team) -> Bool = { _ in true }
  ) throws {
    for _ in 0..<options.repetitions {
      let store = try copiedStore(leavesPlayers: true)
      let context = store.context()
      try context.performAndWait {
        let request = Team.fetchRequest() as NSFetchRequest<Team>
        request.returnsObjectsAsFaults = false
        let teams = try context.fetch(request).filter(isWanted)
        try measurement.time {
          change(teams, context)
          try context.save()
        }
        context.reset()
      }
      measurement.check = try store.sumCheck()
      try store.close()
    }
  }
}
