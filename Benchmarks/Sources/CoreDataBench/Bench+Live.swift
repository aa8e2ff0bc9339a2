// SPDX-License-Identifier: Apache-2.0

import CoreData

/// Counts the changes that a controller tells, index paths in hand.
private final class Changes: NSFetchedResultsControllerDelegate {
  private(set) var rows = 0
  private(set) var rounds = 0
  private var last: (old: IndexPath?, new: IndexPath?)

  func controllerWillChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
  }

  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    rows += 1
    last = (indexPath, newIndexPath)
  }

  func controllerDidChangeContent(_ controller: NSFetchedResultsController<NSFetchRequestResult>) {
    rounds += 1
  }
}

extension Bench {
  /// W11: a live list in sections by zone; some of its rows change and are saved.
  ///
  /// Timed from the first change until the controller has told the delegate everything.
  mutating func live(changes: Int) throws {
    let store = try copiedStore()
    let context = store.context()
    let changes = min(changes, count)
    try context.performAndWait {
      let request = Team.fetchRequest() as NSFetchRequest<Team>
      request.sortDescriptors = Self.order
      let controller = NSFetchedResultsController(
        fetchRequest: request,
        managedObjectContext: context,
        sectionNameKeyPath: "qualifyingZone",
        cacheName: nil
      )
      let delegate = Changes()
      controller.delegate = delegate
      try controller.performFetch()
      let changed = try (0..<changes).compactMap { index in
        let id = try store.objectID("Team", Generator.scattered(index, of: count))
        return try context.existingObject(with: id) as? Team
      }
      for repetition in 1...options.repetitions {
        try measurement.time {
          for (index, team) in changed.enumerated() {
            team.wins = (team.wins + 37) % 100
            if index % 10 == 9 { team.qualifyingZone = Generator.zone(after: team.qualifyingZone) }
          }
          try context.save()
        }
        precondition(delegate.rounds == repetition && delegate.rows == repetition * changes)
      }
      measurement.check = check(controller.fetchedObjects ?? [])
    }
    try store.close()
  }

  private func check(_ teams: [Team]) -> String {
    let hash = teams.reduce(UInt64(0)) { $0 &* 1_000_003 &+ UInt64($1.rowNumber) }
    return "\(teams.count):\(hash)"
  }
}
