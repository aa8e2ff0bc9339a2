// SPDX-License-Identifier: Apache-2.0

import CoreData
import TableMirror
import Testing

/// Random edits of a context; the delegate's table equals a fresh fetch after every round.
struct FetchedResultsLawTests {
  /// Plays a controller's calls on a table.
  final class Table: NSFetchedResultsControllerDelegate {
    var mirror = TableMirror<ObjectIdentifier>([])
    var failures: [String] = []
    private var batch = TableMirror<ObjectIdentifier>.Batch()

    static func rows(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) -> [[ObjectIdentifier]] {
      (controller.sections ?? []).map { section in
        (section.objects ?? []).map { ObjectIdentifier($0 as AnyObject) }
      }
    }

    func controllerWillChangeContent(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) { batch = .init() }

    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      didChange anObject: Any,
      at indexPath: IndexPath?,
      for type: NSFetchedResultsChangeType,
      newIndexPath: IndexPath?
    ) {
      let row = ObjectIdentifier(anObject as AnyObject)
      let old = TableMirror<ObjectIdentifier>.Path(indexPath?.section ?? -1, indexPath?.row ?? -1)
      let new = TableMirror<ObjectIdentifier>.Path(
        newIndexPath?.section ?? -1,
        newIndexPath?.row ?? -1
      )
      switch type {
      case .insert: batch.insertions.append((new, row))
      case .delete: batch.deletions.append(old)
      case .move: batch.moves.append((old, new))
      case .update: batch.updates.append((old, row))
      }
    }

    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      didChange sectionInfo: any NSFetchedResultsSectionInfo,
      atSectionIndex sectionIndex: Int,
      for type: NSFetchedResultsChangeType
    ) {
      if type == .insert {
        batch.insertedSections.append(sectionIndex)
      } else {
        batch.deletedSections.append(sectionIndex)
      }
    }

    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) {
      do {
        let counts = (controller.sections ?? []).map(\.numberOfObjects)
        try mirror.apply(batch, counts: counts)
      } catch {
        failures.append("\(error)")
      }
    }
  }

  @Test(
    "A table that plays the delegate's calls shows what a fresh fetch gives",
    arguments: [true, false]
  )
  func mirror(isSectioned: Bool) throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      var random = RandomSteps(state: isSectioned ? 7 : 11)
      for index in 0..<20 { fixture.add("n\(index)", random.zone, random.wins) }
      try fixture.context.save()
      let request = fixture.request(
        isSectioned ? nil : [("wins", false), ("name", true)]
      )
      request.predicate = NSPredicate(format: "wins < %d", 15)
      let controller = fixture.controller(request, sections: isSectioned ? "zone" : nil)
      let table = Table()
      controller.delegate = table
      try controller.performFetch()
      table.mirror.sections = rows(controller)
      for round in 0..<400 {
        try play(fixture, &random, round)
        try #require(table.failures == [], "round \(round)")
        try #require(table.mirror.sections == rows(controller), "round \(round)")
        let fresh = try fixture.context.fetch(request)
        try #require(lines(controller.fetchedObjects) == lines(fresh), "round \(round)")
        let strangers = zip(controller.fetchedObjects ?? [], fresh).filter { $0 !== $1 }
        try #require(strangers.isEmpty, "round \(round)")
      }
    }
  }

  private func lines(_ objects: [NSManagedObject]?) -> [String] {
    (objects ?? []).map { object in
      let values = ["zone", "wins", "name"].map { object.value(forKey: $0) ?? "nil" }
      return "\(values)"
    }
  }

  private func rows(
    _ controller: NSFetchedResultsController<NSManagedObject>
  ) -> [[ObjectIdentifier]] {
    (controller.sections ?? []).map { section in
      (section.objects ?? []).map { ObjectIdentifier($0 as AnyObject) }
    }
  }

  private func play(_ fixture: ResultsFixture, _ random: inout RandomSteps, _ round: Int) throws {
    let all = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    all.sortDescriptors = [NSSortDescriptor(key: "name", ascending: true)]
    let nations = try fixture.context.fetch(all)
    for step in 0..<random.below(6) {
      let nation = nations.isEmpty ? nil : nations[random.below(nations.count)]
      switch random.below(nations.count > 25 ? 8 : 10) {
      case 0, 1: if let nation { fixture.context.delete(nation) }
      case 2, 3: nation?.setValue(random.zone, forKey: "zone")
      case 4, 5, 6: nation?.setValue(random.wins, forKey: "wins")
      case 7: nation?.setValue(Double(round), forKey: "score")
      default: fixture.add("r\(round).\(step)", random.zone, random.wins)
      }
    }
    switch random.below(10) {
    case 0: fixture.context.rollback()
    case 1, 2, 3, 4: try fixture.context.save()
    default: fixture.context.processPendingChanges()
    }
  }
}

/// Random numbers that are the same in every run (SplitMix64).
struct RandomSteps {
  var state: UInt64
  mutating func below(_ limit: Int) -> Int {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ bits >> 30) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ bits >> 27) &* 0x94D0_49BB_1331_11EB
    return Int((bits ^ bits >> 31) % UInt64(max(1, limit)))
  }
  var zone: String { mutating get { ["Asia", "Europe", "Africa", "Oceania"][below(4)] } }
  var wins: Int { mutating get { below(20) } }
}
