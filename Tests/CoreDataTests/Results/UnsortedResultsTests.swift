// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A results controller whose request has an empty array of sort descriptors.
@Suite struct UnsortedResultsTests {
  private func names(_ controller: NSFetchedResultsController<NSManagedObject>) -> [String] {
    (controller.fetchedObjects ?? []).compactMap { $0.value(forKey: "name") as? String }
  }

  @Test("An empty array of sort descriptors is taken: objects are in the order of their store")
  func emptyOrder() throws {
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
      request.sortDescriptors = []
      let controller = fixture.controller(request, sections: nil)
      let recorder = ResultsRecorder(controller)
      controller.delegate = recorder
      try controller.performFetch()
      #expect(names(controller) == ["a", "b", "c", "d"])
      #expect(controller.sections?.count == 1)
      let champion = fixture.add("e", "Asia", 1, entity: "Champion")
      fixture.context.processPendingChanges()
      #expect(names(controller) == ["a", "b", "c", "d", "e"])
      try fixture.context.save()
      fixture.context.delete(try #require(controller.fetchedObjects?.first))
      champion.setValue("z", forKey: "name")
      fixture.context.processPendingChanges()
      #expect(names(controller) == ["b", "c", "d", "z"])
      #expect(recorder.removeEvents().filter { $0 == "will" }.count == 2)
    }
  }

  @Test("The order is that of the store also where a condition makes the engine read by an index")
  func orderBesideAnIndex() throws {
    let file = FileManager.default.temporaryDirectory
      .appendingPathComponent("unsorted-\(UUID().uuidString).sqlite")
    defer {
      for end in ["", "-wal", "-shm"] {
        try? FileManager.default.removeItem(atPath: file.path + end)
      }
    }
    let fixture = try ResultsFixture(file: file)
    try fixture.context.performAndWait {
      let zones = [fixture.addZone("x"), fixture.addZone("y")]
      for number in 0..<20 {
        fixture.add("\(number)", nil, number, home: zones[(number + 1) % 2])
      }
      try fixture.context.save()
      let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
      request.sortDescriptors = []
      request.predicate = NSPredicate(format: "home IN %@", zones)
      let controller = fixture.controller(request, sections: nil)
      controller.delegate = nil
      try controller.performFetch()
      let numbers = (controller.fetchedObjects ?? []).compactMap {
        Int($0.objectID.uriRepresentation().lastPathComponent.dropFirst())
      }
      #expect(numbers == numbers.sorted())
      #expect(numbers.count == 20)
    }
    try fixture.close()
  }

  @Test("A controller made without arguments is a property's first value")
  func noArguments() throws {
    final class Screen {
      var controller = NSFetchedResultsController<NSManagedObject>()
    }
    let screen = Screen()
    #expect(screen.controller.fetchedObjects == nil)
    #expect(screen.controller.sections == nil)
    #expect(screen.controller.sectionNameKeyPath == nil)
    let fixture = try ResultsFixture()
    try fixture.context.performAndWait {
      _ = try fixture.addFour()
      screen.controller = fixture.controller()
      try screen.controller.performFetch()
      #expect(screen.controller.fetchedObjects?.count == 4)
    }
  }
}
