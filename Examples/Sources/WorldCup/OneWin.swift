// SPDX-License-Identifier: Apache-2.0

import CoreData

/// What another program does: a win for a team, saved.
struct OneWin {
  let context: NSManagedObjectContext

  /// - Throws: `ListError.gone` where no team has the name; what the save gives.
  func add(to name: String) throws {
    try context.performAndWait {
      let request: NSFetchRequest<Team> = Team.fetchRequest()
      request.predicate = NSPredicate(format: "teamName ==[cd] %@", name)
      guard let team = try context.fetch(request).first else { throw ListError.gone }
      team.wins += 1
      try context.save()
    }
  }
}
