// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A delegate that counts its calls.
private protocol CountingDelegate: NSFetchedResultsControllerDelegate {
  var calls: Int { get }
}

/// Delegates that have one method each.
private enum Single {
  final class Silent: CountingDelegate { let calls = 0 }
  final class Titles: CountingDelegate {
    var calls = 0
    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      sectionIndexTitleForSectionName sectionName: String
    ) -> String? {
      calls += 1
      return nil
    }
  }
  final class WillChange: CountingDelegate {
    var calls = 0
    func controllerWillChangeContent(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) { calls += 1 }
  }
  final class Objects: CountingDelegate {
    var calls = 0
    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      didChange anObject: Any,
      at indexPath: IndexPath?,
      for type: NSFetchedResultsChangeType,
      newIndexPath: IndexPath?
    ) { calls += 1 }
  }
  final class Sections: CountingDelegate {
    var calls = 0
    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      didChange sectionInfo: any NSFetchedResultsSectionInfo,
      atSectionIndex sectionIndex: Int,
      for type: NSFetchedResultsChangeType
    ) { calls += 1 }
  }
  final class DidChange: CountingDelegate {
    var calls = 0
    func controllerDidChangeContent(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>
    ) { calls += 1 }
  }
  final class Snapshots: CountingDelegate {
    var calls = 0
    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      didChangeContentWith snapshot: NSDiffableDataSourceSnapshotReference
    ) { calls += 1 }
  }
  final class Differences: CountingDelegate {
    var calls = 0
    func controller(
      _ controller: NSFetchedResultsController<NSFetchRequestResult>,
      didChangeContentWith diff: CollectionDifference<NSManagedObjectID>
    ) { calls += 1 }
  }
}

/// Who is told, in which form; and what stops the program.
extension ResultsControllerRules {
  @Test("FRC-3 each of the six methods of changes alone makes the controller follow")
  func following() throws {
    let delegates: [(delegate: any CountingDelegate, sections: String?, calls: Int)] = [
      (Single.WillChange(), "zone", 1), (Single.Objects(), "zone", 1),
      (Single.Sections(), "zone", 1), (Single.DidChange(), "zone", 1),
      // The fetch gives a snapshot too.
      (Single.Snapshots(), "zone", 2), (Single.Differences(), nil, 1),
    ]
    try context.performAndWait {
      _ = try fixture.addFour()
      let controllers = delegates.map { fixture.controller(sections: $0.sections) }
      for (controller, delegate) in zip(controllers, delegates) {
        controller.delegate = delegate.delegate
        try controller.performFetch()
      }
      fixture.add("x", "Oceania", 1)
      context.processPendingChanges()
      for (controller, delegate) in zip(controllers, delegates) {
        #expect(controller.fetchedObjects?.count == 5, "\(delegate)")
        #expect(delegate.delegate.calls == delegate.calls, "\(delegate)")
      }
    }
  }

  @Test("FRC-3 a delegate that has none of them, or titles alone, does not make it follow")
  func notFollowing() throws {
    try context.performAndWait {
      _ = try fixture.addFour()
      let delegates: [any CountingDelegate] = [Single.Silent(), Single.Titles()]
      for sections in ["zone", nil] {
        for delegate in delegates {
          let controller = fixture.controller(sections: sections)
          controller.delegate = delegate
          try controller.performFetch()
          let before = controller.fetchedObjects
          fixture.add("x", "Oceania", 1)
          context.processPendingChanges()
          #expect(controller.fetchedObjects == before)
          _ = controller.sectionIndexTitles
        }
      }
      #expect(delegates.map { $0.calls > 0 } == [false, true])
    }
  }

  @Test("FRC-16 with the snapshot method no other is called; a fetch gives a snapshot too")
  func snapshotAlone() throws {
    try context.performAndWait {
      let four = try fixture.addFour()
      let controllers = [fixture.controller(), fixture.controller(sections: nil)]
      let recorders = [SnapshotRecorder(), SnapshotRecorder()]
      for (controller, recorder) in zip(controllers, recorders) {
        controller.delegate = recorder
        try controller.performFetch()
        #expect(recorder.snapshots.count == 1)
      }
      four[0].setValue(4, forKey: "wins")
      fixture.add("o", "Oceania", 1)
      context.processPendingChanges()
      #expect(recorders.map(\.snapshots.count) == [2, 2] && recorders.map(\.others) == [0, 0])
      let last = try recorders.map { try #require($0.snapshots.last) }
      let names = last.map { $0.sectionIdentifiers.compactMap { $0 as? String } }
      #expect(names[0] == ["Asia", "Europe", "Oceania"])
      #expect(names[1].count == 1 && names[1][0] != "")
      for (snapshot, controller) in zip(last, controllers) {
        let ids = (controller.fetchedObjects ?? []).map(\.objectID)
        #expect(snapshot.itemIdentifiers as? [NSManagedObjectID] == ids)
        #expect(snapshot.reloadedItemIdentifiers as? [NSManagedObjectID] == [four[0].objectID])
      }
    }
  }

  @Test(
    "FRC-17 the difference method alone is called without a section key path; with one, callbacks"
  )
  func differenceAlone() throws {
    try context.performAndWait {
      let four = try fixture.addFour()
      let controllers = [fixture.controller(sections: nil), fixture.controller()]
      let recorders = [DifferenceRecorder(), DifferenceRecorder()]
      for (controller, recorder) in zip(controllers, recorders) {
        controller.delegate = recorder
        try controller.performFetch()
      }
      four[1].setValue(4, forKey: "wins")
      context.processPendingChanges()
      #expect(recorders[0].callbacks.isEmpty && recorders[1].differences.isEmpty)
      #expect(recorders[1].callbacks == ["will", "update"])
      // An update is a pair of one ID that know each other.
      let id = four[1].objectID
      #expect(
        recorders[0].differences.map { Array($0) } == [
          [
            .remove(offset: 1, element: id, associatedWith: 1),
            .insert(offset: 1, element: id, associatedWith: 1),
          ]
        ]
      )
    }
  }

  @Test("FRC-1 a request without sort descriptors stops the program, with Apple's words")
  func noOrder() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let fixture = try ResultsFixture()
      _ = fixture.controller(NSFetchRequest<NSManagedObject>(entityName: "Nation"))
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self).contains(
        "An instance of NSFetchedResultsController requires a fetch request with sort descriptors"
      )
    )
  }

  @Test("FRC-7 a path outside the content stops the program")
  func outside() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let fixture = try ResultsFixture()
      let controller = fixture.controller(sections: nil)
      try controller.performFetch()
      _ = controller.object(at: IndexPath(row: 3, section: 0))
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("no object at index 3 in section at index 0")
    )
  }

  @Test("FRC-6 a title that is not at its index stops the program")
  func wrongTitle() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let fixture = try ResultsFixture()
      try fixture.context.performAndWait {
        _ = try fixture.addFour()
        let controller = fixture.controller()
        try controller.performFetch()
        _ = controller.section(forSectionIndexTitle: "A", at: 1)
      }
    }
    #expect(
      String(decoding: result.standardErrorContent, as: UTF8.self)
        .contains("Index title at 1 is not equal to 'A'")
    )
  }

  @Test("FRC-6 the delegate's titles count where it has the method")
  func delegateTitles() throws {
    final class Titles: NSFetchedResultsControllerDelegate {
      func controller(
        _ controller: NSFetchedResultsController<NSFetchRequestResult>,
        sectionIndexTitleForSectionName sectionName: String
      ) -> String? { String(sectionName.suffix(1)) }
    }
    try context.performAndWait {
      _ = try fixture.addFour()
      let controller = fixture.controller()
      let titles = Titles()
      controller.delegate = titles
      try controller.performFetch()
      #expect(controller.sectionIndexTitles == ["a", "e"])
      #expect(controller.sectionIndexTitle(forSectionName: "ozean") == "n")
      #expect(controller.section(forSectionIndexTitle: "e", at: 1) == 1)
    }
  }

  @Test("Every rule FRC-n of §15 begins the name of a test")
  func coverage() throws {
    let folder = URL(fileURLWithPath: #filePath).deletingLastPathComponent()
      .deletingLastPathComponent()
    let rules = try String(
      contentsOf: folder.appendingPathComponent("../../docs/reference/behaviour.md"),
      encoding: .utf8
    ).matches(of: #/\* (FRC-[0-9]+) /#).map { String($0.output.1) }
    #expect(rules.count >= 22)
    var named: Set<String> = []
    for name in ["Rules", "Results"] {
      let files = try FileManager.default.contentsOfDirectory(
        at: folder.appendingPathComponent(name),
        includingPropertiesForKeys: nil
      )
      for file in files {
        let text = try String(contentsOf: file, encoding: .utf8)
        named.formUnion(text.matches(of: #/@Test\(\s*"(FRC-[0-9]+) /#).map { String($0.output.1) })
      }
    }
    #expect(rules.filter { !named.contains($0) } == [])
  }
}
