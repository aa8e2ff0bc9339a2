// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A parent's thread that waits for a child which reads from the parent.
@Suite struct ChildWaitTests {
  private static func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = NSManagedObjectContext(.privateQueue)
    child.parent = parent
    child.automaticallyMergesChangesFromParent = true
    return child
  }

  /// A tag in `parent`, and a child and its child that both have read it.
  private static func line(
    below parent: NSManagedObjectContext
  ) throws -> (tag: NSManagedObject, line: [NSManagedObjectContext], seen: [NSManagedObject]) {
    let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: parent)
    tag.setValue("0", forKey: "name")
    try parent.save()
    let child = child(of: parent)
    let line = [child, self.child(of: child)]
    let seen = line.map { context in
      context.performAndWait {
        let object = context.object(with: tag.objectID)
        precondition(object.value(forKey: "name") as? String == "0")
        return object
      }
    }
    return (tag, line, seen)
  }

  private static func rounds(_ parent: NSManagedObjectContext, _ count: Int) throws {
    let (tag, line, seen) = try line(below: parent)
    for round in 1...count {
      tag.setValue("\(round)", forKey: "name")
      try parent.save()
      let place = round % 2
      line[place].performAndWait {
        let name = seen[place].value(forKey: "name") as? String
        // A grandchild hears of a save when the child has merged it.
        precondition(place == 1 || name == "\(round)", "\(name ?? "nil") in round \(round)")
      }
    }
  }

  @Test("The main thread saves and then waits for a child that merges the save by itself")
  func mainParent() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      try await MainActor.run { try ChildWaitTests.rounds(stack.container.viewContext, 300) }
    }
  }

  @Test("Work on a private parent saves and then waits for a child that merges the save by itself")
  func privateParent() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      let context = stack.context
      try context.performAndWait { try ChildWaitTests.rounds(context, 300) }
    }
  }

  @Test("What a waiting main thread does for a child it does on the main thread")
  func threadOfTheLoan() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      let view = stack.container.viewContext
      await MainActor.run {
        let child = ChildWaitTests.child(of: view)
        // What was inserted and not told yet is told before the child's fetch is answered.
        let told = Turnstile()
        // The main queue may run on another thread than the process's first one.
        let main = pthread_self()
        let observer = NotificationCenter.default.addObserver(
          forName: .NSManagedObjectContextObjectsDidChange,
          object: view,
          queue: nil
        ) { _ in told.note(pthread_self() == main ? "main" : "other") }
        let ready = Turnstile()
        _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: view)
        child.perform {
          ready.meet(2)
          let count = try? child.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
          told.note("\(count ?? -1)")
        }
        ready.meet(2)
        child.performAndWait { told.note("waited") }
        precondition(told.events == ["main", "1", "waited"], "\(told.events)")
        NotificationCenter.default.removeObserver(observer)
      }
    }
  }

  @Test("Parents, children and grandchildren on many threads, in both directions, all get there")
  func manyThreads() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      let parent = stack.context
      let made = try parent.performAndWait { try ChildWaitTests.line(below: parent) }
      let line = made.line
      // Each is used on its context's queue alone.
      nonisolated(unsafe) let (tag, seen) = (made.tag, made.seen)
      let threads = 6
      let done = Turnstile()
      for seed in 0..<threads {
        onThread {
          for round in 0..<150 {
            let place = (seed + round) % 2
            let context = line[place]
            if (seed + round) % 3 == 0 {
              parent.performAndWait {
                tag.setValue("\(seed)-\(round)", forKey: "name")
                try? parent.save()
                context.performAndWait { _ = seen[place].value(forKey: "name") }
              }
            } else {
              context.performAndWait {
                context.refresh(seen[place], mergeChanges: false)
                precondition(seen[place].value(forKey: "name") is String)
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                precondition((try? context.fetch(request))?.count == 1)
              }
            }
          }
          done.meet(threads + 1)
        }
      }
      precondition(done.meet(threads + 1))
    }
  }

  @Test("A thread that waits for a child, whose own block waits for the parent, stops the program")
  func waitsOfPrograms() async throws {
    let result = try await #require(
      processExitsWith: .failure,
      observing: [\.standardErrorContent]
    ) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      let parent = stack.context
      let child = ChildWaitTests.child(of: parent)
      let ready = Turnstile()
      onThread {
        child.performAndWait {
          ready.meet(2)
          parent.performAndWait {}
        }
      }
      parent.performAndWait {
        ready.meet(2)
        child.performAndWait {}
      }
    }
    let text = String(decoding: result.standardErrorContent, as: UTF8.self)
    #expect(text.contains("Deadlock: performAndWait would never return"), "\(text.prefix(400))")
  }
}
