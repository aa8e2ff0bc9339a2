// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

@Suite struct QueueTests {
  @Test func performAndWaitRunsOnTheCallingThreadAndNests() throws {
    let stack = try LibraryStack()
    let other = stack.container.newBackgroundContext()
    let thread = Thread.current
    let same = stack.context.performAndWait {
      other.performAndWait { stack.context.performAndWait { Thread.current === thread } }
    }
    #expect(same)
  }

  @Test func performReturnsValuesAndThrows() async throws {
    let stack = try LibraryStack()
    let context = stack.context
    let count = try await context.perform {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      try context.save()
      return try context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
    }
    #expect(count == 1)
    await #expect(throws: CancellationError.self) {
      try await context.perform { throw CancellationError() }
    }
    let none = await stack.container.performBackgroundTask { $0.hasChanges }
    #expect(!none)
  }

  @Test("The main actor hands work to a background context and gets its result")
  @MainActor func backgroundTaskFromTheMainActor() async throws {
    let stack = try LibraryStack()
    let id = try await stack.container.performBackgroundTask { context -> NSManagedObjectID in
      let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
      try context.save()
      return tag.objectID
    }
    #expect(stack.container.viewContext.object(with: id).entity.name == "Tag")
  }

  @Test func contextsOnManyThreadsWriteAndReadTheSameStore() async throws {
    let stack = try LibraryStack()
    let container = stack.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<8 {
        group.addTask {
          try await container.performBackgroundTask { context in
            for number in 0..<25 {
              let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
              book.setValue("\(worker)-\(number)", forKey: "title")
              try context.save()
              _ = try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
            }
          }
        }
      }
      try await group.waitForAll()
    }
    let titles = try stack.reread("Book").compactMap { $0.value(forKey: "title") as? String }
    #expect(Set(titles).count == 200)
  }

  @Test func objectsMayDieOnAnyThreadWhileTheContextLooksThemUp() async throws {
    let stack = try LibraryStack()
    for number in 0..<64 { _ = stack.make("Book", ["pages": number]) }
    try stack.context.save()
    let context = stack.container.newBackgroundContext()
    for _ in 0..<50 {
      let box = Box(
        try await context.perform {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
          return try context.fetch(request)
        }
      )
      async let drop: Void = Task.detached { box.objects = [] }.value
      let sum = try await context.perform {
        try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Book"))
          .reduce(0) { $0 + ($1.value(forKey: "pages") as? Int ?? 0) }
      }
      await drop
      #expect(sum == 64 * 63 / 2)
    }
    await context.perform { #expect(context.registeredObjects.isEmpty) }
  }
}

/// Objects that another thread lets go.
private final class Box: @unchecked Sendable {
  // Unchecked: one task writes, nobody reads.
  var objects: [NSManagedObject]
  init(_ objects: [NSManagedObject]) { self.objects = objects }
}
