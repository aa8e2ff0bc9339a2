// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import Foundation
import Testing
import _CoreDataSQLite

/// What users complain of most; each would show here again.
///
/// The stale cache has its test, of that name, in `SectionCacheTests`.
@Suite("Complaints about results controllers")
struct ResultsComplaintTests {
  @Test("invalid number of rows: sections and rows that change together fit a table's batch")
  func invalidNumberOfRows() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      for index in 0..<30 { fixture.add("n\(index)", "Z\(index % 6)", index) }
      try fixture.context.save()
      let controller = fixture.controller()
      let table = TableMirror()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      let all = controller.fetchedObjects ?? []
      // Whole sections go, come and exchange their places while rows move between them.
      for (index, nation) in all.enumerated() {
        switch index % 5 {
        case 0: fixture.context.delete(nation)
        case 1: nation.setValue("Z\((index + 4) % 9)", forKey: "zone")
        case 2: nation.setValue("A\(index % 2)", forKey: "zone")
        default: nation.setValue(100 - index, forKey: "wins")
        }
      }
      for index in 0..<7 { fixture.add("new\(index)", "B\(index % 3)", index) }
      try fixture.context.save()
      try table.check(controller)
      #expect(table.rounds.count == 1 && !table.rounds[0].insertedSections.isEmpty)
    }
  }

  @Test("out of order section name: an error at the fetch that says which descriptor to add")
  func outOfOrderSectionName() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      fixture.add("aa", "Europe", 1)
      let controller = fixture.controller(fixture.request([("name", true)]))
      let error = #expect(throws: NSError.self) { try controller.performFetch() }
      #expect(error?.domain == NSCocoaErrorDomain && error?.code == 134060)
      #expect(error?.localizedDescription.contains("out of order section name") == true)
      #expect(
        error?.localizedFailureReason?
          .contains("Use sectionNameKeyPath as the key of the first sort descriptor") == true
      )
      fixture.add("e", "Asia", 1)
      let unsorted = fixture.controller(fixture.request([]))
      let withoutOrder = #expect(throws: NSError.self) { try unsorted.performFetch() }
      #expect(
        withoutOrder?.localizedFailureReason?
          .contains("because the fetch request has no sort descriptors. Sort first by") == true
      )
    }
  }

  @Test("nested contexts: the same sections and rows whatever the depth", arguments: 0..<4)
  func nestedContexts(depth: Int) throws {
    let fixture = try ResultsFixture()
    var contexts = [fixture.context]
    for _ in 0..<depth {
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = contexts[contexts.count - 1]
      contexts.append(child)
    }
    let four = try fixture.context.performAndWait {
      try fixture.addFour().map(\.objectID)
    }
    let context = contexts[depth]
    try context.performAndWait {
      let controller = fixture.controller(in: context)
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      try controller.performFetch()
      #expect(text(controller) == "Asia: a b | Europe: c d")
      context.object(with: four[1]).setValue(6, forKey: "wins")
      context.delete(context.object(with: four[2]))
      let new = NSEntityDescription.insertNewObject(forEntityName: "Nation", into: context)
      new.setValue("n", forKey: "name")
      try context.save()
      #expect(
        recorder.removeEvents() == [
          "will", "insert section 0 ", "delete c 1.0 -", "insert n - 0.0", "move b 0.1 1.0", "did",
        ]
      )
      #expect(text(controller) == ": n | Asia: b a | Europe: d")
    }
    for context in contexts.dropLast().reversed() {
      try context.performAndWait { try context.save() }
    }
    try context.performAndWait {
      let controller = fixture.controller(in: context)
      try controller.performFetch()
      #expect(text(controller) == ": n | Asia: b a | Europe: d")
    }
  }

  @Test("ignored batch size: sections are counted by the store, rows come a batch at a time")
  func ignoredBatchSize() throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = try ResultsFixture(file: folder.appendingPathComponent("nations.sqlite"))
    try fixture.context.performAndWait {
      for index in 0..<600 {
        fixture.add("n\(index)", index < 60 ? nil : "Z\(index % 3)", index)
      }
      try fixture.context.save()
      fixture.context.reset()
      let store = try #require(fixture.container.persistentStoreCoordinator.persistentStores.first)
      let request = fixture.request()
      request.fetchBatchSize = 20
      let controller = fixture.controller(request)
      let table = TableMirror()
      controller.delegate = table
      let before = store.statements.counts.started
      try controller.performFetch()
      #expect(controller.sections?.map(\.name) == ["", "Z0", "Z1", "Z2"])
      #expect(controller.sections?.map(\.numberOfObjects) == [60, 180, 180, 180])
      // The keys, and the sections.
      #expect(store.statements.counts.started - before == 2)
      let rows = { (controller.fetchedObjects ?? []).filter { !$0.isFault }.count }
      #expect(rows() == 0)
      let first = controller.object(at: IndexPath(row: 0, section: 0))
      #expect(first.value(forKey: "wins") as? Int == 59)
      #expect(store.statements.counts.started - before == 3)
      // A change reads the batches that it is compared with, not the list.
      table.reloadData(controller)
      first.setValue("Z1", forKey: "zone")
      fixture.context.processPendingChanges()
      try table.check(controller)
      #expect(store.statements.counts.started - before < 20)
    }
    try fixture.close()
  }

  @Test("ignored batch size: in child contexts too rows come a batch at a time", arguments: 1...2)
  func ignoredBatchSizeInChildren(depth: Int) throws {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let fixture = try ResultsFixture(file: folder.appendingPathComponent("nations.sqlite"))
    try fixture.context.performAndWait {
      for index in 0..<600 { fixture.add("n\(index)", "Z", index) }
      try fixture.context.save()
      fixture.context.reset()
    }
    var context = fixture.context
    for _ in 0..<depth {
      let child = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
      child.parent = context
      context = child
    }
    let store = try #require(fixture.container.persistentStoreCoordinator.persistentStores.first)
    try context.performAndWait {
      let request = fixture.request([("wins", true)])
      request.fetchBatchSize = 20
      let controller = fixture.controller(request, sections: nil, in: context)
      let before = store.statements.counts.started
      try controller.performFetch()
      #expect(store.statements.counts.started - before == 1)
      #expect(!(controller.fetchedObjects ?? []).contains { !$0.isFault })
      let last = controller.object(at: IndexPath(row: 599, section: 0))
      #expect(last.value(forKey: "wins") as? Int == 599)
      #expect((controller.fetchedObjects ?? []).count { !$0.isFault } <= 20)
      #expect(store.statements.counts.started - before == 2)
    }
    try fixture.close()
  }

  @Test("blocked main thread: the same delegate on a queue of the context's own")
  func blockedMainThread() async throws {
    final class Threads: NSFetchedResultsControllerDelegate, @unchecked Sendable {
      // Unchecked: used on the context's queue only.
      var wasMain: [Bool] = []
      func controllerDidChangeContent(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>
      ) { wasMain.append(Thread.isMainThread) }
    }
    let fixture = try ResultsFixture()
    let delegate = Threads()
    let context = fixture.context
    let controller = try await context.perform {
      _ = try fixture.addFour()
      let controller = fixture.controller()
      controller.delegate = delegate
      try controller.performFetch()
      return Held(controller)
    }
    await context.perform { _ = fixture.add("x", "Asia", 1) }
    await context.perform {
      #expect(delegate.wasMain == [false])
      #expect(controller.value.fetchedObjects?.count == 5)
    }
  }

  /// Carries a controller between blocks of its context.
  private struct Held: @unchecked Sendable {
    // Unchecked: used on the context's queue only.
    let value: NSFetchedResultsController<NSManagedObject>
    init(_ value: NSFetchedResultsController<NSManagedObject>) { self.value = value }
  }

  @Test("updates silenced by snapshots: a snapshot names the rows that changed in place")
  func silencedUpdates() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      let four = try fixture.addFour()
      let controller = fixture.controller()
      let recorder = SnapshotRecorder()
      controller.delegate = recorder
      try controller.performFetch()
      four[2].setValue(0.25, forKey: "score")
      fixture.context.processPendingChanges()
      let ids = recorder.snapshots.last?.reloadedItemIdentifiers as? [NSManagedObjectID]
      #expect(ids == [four[2].objectID])
    }
  }

  @Test("many saves of another context that come while this one is busy are one round")
  func coalescing() throws {
    let fixture = try ResultsFixture()
    let context = fixture.context
    context.automaticallyMergesChangesFromParent = true
    let other = fixture.container.newBackgroundContext()
    let controller = fixture.controller(sections: nil)
    let table = TableMirror()
    try context.performAndWait {
      _ = try fixture.addFour()
      controller.delegate = table
      try controller.performFetch()
      table.reloadData(controller)
      // The queue is busy with this block while the other context saves.
      try other.performAndWait {
        let found = try other.fetch(fixture.request([("name", true)]))
        for step in 0..<20 {
          found[step % 3].setValue(step, forKey: "wins")
          if step == 7 { other.delete(found[3]) }
          if step == 11 {
            NSEntityDescription.insertNewObject(forEntityName: "Nation", into: other)
              .setValue("new", forKey: "name")
          }
          try other.save()
        }
      }
    }
    try context.performAndWait {
      #expect(table.rounds.count == 1)
      #expect(table.rounds.first?.rows.count == 5)
      try table.check(controller)
      let fresh = try context.fetch(fixture.request())
      #expect(fresh.map { $0.objectID } == controller.fetchedObjects?.map { $0.objectID })
    }
  }
}
