// SPDX-License-Identifier: Apache-2.0

import CPlainSQLite
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
  mutating func live(_ workload: LiveWorkload) throws {
    guard let changes = workload.changes.map({ min($0, count) }) else {
      return try measureList(workload)
    }
    let store = try store(of: workload)
    let context = store.context()
    try context.performAndWait {
      let controller = controller(in: context)
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
            if index % 10 == 9 {
              team.qualifyingZone = workload.section(after: team.qualifyingZone)
            }
          }
          try context.save()
        }
        precondition(delegate.rounds == repetition && delegate.rows == repetition * changes)
      }
      measurement.check = check(controller.fetchedObjects ?? [])
    }
    try store.close()
  }

  /// W11: what a live list allocates for each row beside the objects, which are all there before.
  ///
  /// Timed is the fetch of the list.
  private mutating func measureList(_ workload: LiveWorkload) throws {
    let store = try store(of: workload)
    let context = store.context()
    try context.performAndWait {
      let request = Team.fetchRequest() as NSFetchRequest<Team>
      request.returnsObjectsAsFaults = false
      let teams = try context.fetch(request)
      let delegate = Changes()
      // What a first fetch of the kind leaves behind does not belong to the list.
      try self.controller(in: context).performFetch()
      let before = Self.allocatedBytes
      let controller = controller(in: context)
      controller.delegate = delegate
      try measurement.time { try controller.performFetch() }
      let bytes = Double(Self.allocatedBytes - before) / Double(teams.count)
      measurement.check = "\(teams.count):\(Int(bytes.rounded()))"
    }
    try store.close()
  }

  private func controller(in context: NSManagedObjectContext) -> NSFetchedResultsController<Team> {
    let request = Team.fetchRequest() as NSFetchRequest<Team>
    request.sortDescriptors = Self.order
    return NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: "qualifyingZone",
      cacheName: nil
    )
  }

  /// A copy of the shared store; its rows are dealt to the workload's sections before it is opened.
  private func store(of workload: LiveWorkload) throws -> Store {
    let path = try copiedFile()
    if let sections = workload.sections { try deal(path, to: sections) }
    return try Store(path)
  }

  private func deal(_ path: String, to sections: Int) throws {
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    let text = "UPDATE ZTEAM SET ZQUALIFYINGZONE = printf('%06d', Z_PK % \(sections))"
    guard sqlite3_open_v2(path, &handle, SQLITE_OPEN_READWRITE, nil) == SQLITE_OK,
      sqlite3_exec(handle, text, nil, nil, nil) == SQLITE_OK
    else { throw BenchError.noModel }
  }

  private func check(_ teams: [Team]) -> String {
    let hash = teams.reduce(UInt64(0)) { $0 &* 1_000_003 &+ UInt64($1.rowNumber) }
    return "\(teams.count):\(hash)"
  }
}
