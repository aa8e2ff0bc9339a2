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
  /// Timed from the first change until the controller has told the delegate everything. With a number of
  /// `sections` the teams are dealt into so many zones first; one is a list without section key path.
  mutating func live(changes: Int, sections: Int? = nil) throws {
    let store = try copiedStore(zones: sections)
    let context = store.context()
    let changes = min(changes, count)
    try context.performAndWait {
      let request = Team.fetchRequest() as NSFetchRequest<Team>
      request.sortDescriptors = Self.order
      let controller = NSFetchedResultsController(
        fetchRequest: request,
        managedObjectContext: context,
        sectionNameKeyPath: sections == 1 ? nil : "qualifyingZone",
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
            if index % 10 == 9 { team.qualifyingZone = zone(after: team.qualifyingZone, sections) }
          }
          try context.save()
        }
        precondition(delegate.rounds == repetition && delegate.rows == repetition * changes)
      }
      measurement.check = check(controller.fetchedObjects ?? [])
    }
    try store.close()
  }

  private func zone(after zone: String?, _ sections: Int?) -> String {
    guard let sections else { return Generator.zone(after: zone) }
    let number = Int(zone?.dropFirst() ?? "") ?? 0
    return Self.zone((number + 1) % sections)
  }

  private static func zone(_ number: Int) -> String { "S\(number)" }

  /// A copy of the shared store whose teams are in so many zones; as it is for nil.
  private func copiedStore(zones: Int?) throws -> Store {
    guard let zones else { return try copiedStore() }
    try copiedStore().close()
    var handle: OpaquePointer?
    defer { sqlite3_close_v2(handle) }
    let sql = "UPDATE ZTEAM SET ZQUALIFYINGZONE = 'S' || (Z_PK % \(zones))"
    guard sqlite3_open(work, &handle) == SQLITE_OK,
      sqlite3_exec(handle, sql, nil, nil, nil) == SQLITE_OK
    else { throw BenchError.noModel }
    return try Store(work)
  }

  /// What a followed list costs beside its objects, as bytes a row in `check`.
  mutating func listMemory() throws {
    let store = try sharedStore()
    let context = store.context()
    try context.performAndWait {
      let request = Team.fetchRequest() as NSFetchRequest<Team>
      request.sortDescriptors = Self.order
      let objects = try context.fetch(request)
      let before = Self.residentBytes
      let controller = NSFetchedResultsController(
        fetchRequest: request,
        managedObjectContext: context,
        sectionNameKeyPath: "qualifyingZone",
        cacheName: nil
      )
      let delegate = Changes()
      controller.delegate = delegate
      try measurement.time { try controller.performFetch() }
      let bytes = Double(Self.residentBytes - before) / Double(objects.count)
      measurement.check = "\((bytes * 10).rounded() / 10) bytes a row"
    }
    try store.close()
  }

  private static var residentBytes: Int {
    let text = (try? String(contentsOfFile: "/proc/self/statm", encoding: .utf8)) ?? ""
    let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
    return pages * 4096
  }

  private func check(_ teams: [Team]) -> String {
    let hash = teams.reduce(UInt64(0)) { $0 &* 1_000_003 &+ UInt64($1.rowNumber) }
    return "\(teams.count):\(hash)"
  }
}
