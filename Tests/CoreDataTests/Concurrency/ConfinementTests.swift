// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What a program that is started with concurrency debugging is told.
///
/// Source: behaviour.md CON-4 (known); the report's text is chosen.
@Suite struct ConfinementTests {
  private func expect(_ result: ExitTest.Result?, _ texts: String...) {
    let output = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    for text in texts {
      #expect(output.contains(text), "stopped with: \(output.prefix(800))")
    }
  }

  @Test("CON-4 a fetch outside the queue stops the program, which says what, whose and where")
  func aFetchOutsideTheQueue() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
        let stack = try LibraryStack(NSInMemoryStoreType)
        stack.context.name = "import"
        _ = try stack.context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
      },
      "__Multithreading_Violation_AllThatIsLeftToUsIsHonor__",
      "-[NSManagedObjectContext fetch(_:)] was called on",
      "outside the queue of <NSManagedObjectContext: 0x",
      "(private queue, \"import\")",
      "no thread is known to be running its work",
      "a request for the entity Book"
    )
  }

  @Test func anObjectReadOffItsQueueWhileAnotherThreadOwnsIt() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
        let web = try WebStack()
        let context = web.context
        let box = Box(
          try context.performAndWait {
            let node = try web.node("a")
            try web.save()
            return node
          }
        )
        let start = Turnstile()
        onThread("owner") {
          context.performAndWait {
            start.meet(2)
            _ = Turnstile().meet(2)
          }
        }
        start.meet(2)
        // A generated accessor of a realised object, which reads its row at once without checks.
        _ = box.value.name
      },
      "-[Node valueForKey:name] was called on",
      "its work runs on thread 0x",
      "The call concerned the Node 0x",
      "of ID x-coredata://"
    )
  }

  @Test("CON-4 the launch argument turns the checks on, and goes before the environment")
  func theLaunchArgumentTurnsChecksOn() throws {
    let on = try LaunchedProgram.run(["stray", "-com.apple.CoreData.ConcurrencyDebug", "1"])
    #expect(on.status != 0 && on.standardError.contains("Multithreading violation"))
    #expect(on.standardError.contains("a request for the entity Note"))
    #expect(try LaunchedProgram.run(["-com.apple.CoreData.ConcurrencyDebug", "YES"]).status == 0)
    let off = try LaunchedProgram.run(
      ["stray", "-com.apple.CoreData.ConcurrencyDebug", "0"],
      environment: ["COREDATA_CONCURRENCY_DEBUG": "1"]
    )
    #expect(off.status == 0 && off.standardError.isEmpty, "the argument goes before")
  }

  @Test func anObjectChangedOffItsQueue() async throws {
    for change in ["generated", "keyed", "reference", "to-many"] {
      expect(
        try await #require(
          processExitsWith: .failure,
          observing: [\.standardErrorContent]
        ) { [change = change as String] in
          setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
          let web = try WebStack()
          let nodes = try web.context.performAndWait { [try web.node("a"), try web.node("b")] }
          switch change {
          case "generated": nodes[0].rank = 2
          case "keyed": nodes[0].setValue("x", forKey: "name")
          case "reference": nodes[0].parent = nodes[1]
          default: nodes[0].addToChildren(nodes[1])
          }
        },
        "-[Node setValue:forKey:",
        "Use a private-queue context inside its perform or performAndWait."
      )
    }
  }

  @Test("CON-4 so does a main-queue context off the main thread")
  func aMainQueueContextOffTheMainThread() async throws {
    expect(
      try await #require(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
        let view = try LibraryStack(NSInMemoryStoreType).container.viewContext
        await MainActor.run { _ = view.registeredObjects }
        await Task.detached {
          onThread("stray") { try? view.save() }
          _ = Turnstile().meet(2)
        }.value
      },
      "-[NSManagedObjectContext save()] was called on thread 0x",
      "(main queue, \"viewContext\")",
      "Use a main-queue context on the main thread"
    )
  }

  @Test func workOnTheQueuesIsLeftAlone() async throws {
    await #expect(processExitsWith: .success) {
      setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try LibraryStack()
      let reader = stack.container.newBackgroundContext()
      reader.automaticallyMergesChangesFromParent = true
      let id = try await stack.context.perform {
        let author = stack.make("Author", ["name": "Ende"])
        let book = stack.make("Book", ["title": "Momo"])
        book.setValue(author, forKey: "author")
        try stack.context.save()
        book.setValue("Jim", forKey: "title")
        stack.context.refresh(book, mergeChanges: false)
        stack.context.delete(author)
        stack.context.rollback()
        try stack.context.save()
        return book.objectID
      }
      let title = try await reader.perform {
        try reader.existingObject(with: id).value(forKey: "title") as? String
      }
      guard title == "Momo" else { exit(3) }
      let unmanaged = NSManagedObject(
        entity: try #require(stack.container.managedObjectModel.entitiesByName["Tag"]),
        insertInto: nil
      )
      unmanaged.setValue("free", forKey: "name")
      try await MainActor.run {
        let view = stack.container.viewContext
        _ = try view.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
        _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: view)
        try view.save()
      }
    }
  }
}

private final class Box<Value>: @unchecked Sendable {
  // Unchecked: what the tests do with it is the mistake they show.
  let value: Value
  init(_ value: Value) { self.value = value }
}
