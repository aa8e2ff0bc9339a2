// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// Blocks that code of an actor gives to contexts of private queues, written as people write them.
@Suite struct ActorBlockTests {
  /// A view model as apps have it.
  @MainActor private final class Shelf {
    let container: NSPersistentContainer
    var titles: [String] = []

    init(_ container: NSPersistentContainer) { self.container = container }

    func fill(_ count: Int) async throws {
      let numbers = 0..<count
      try await container.performBackgroundTask { context in
        let books = numbers.map { number in
          let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
          book.setValue("Book \(number)", forKey: "title")
          return book
        }
        try context.save()
        precondition(books.allSatisfy { !$0.objectID.isTemporaryID })
      }
    }

    func load() async throws {
      titles = try await container.performBackgroundTask { context in
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        let books = try context.fetch(request)
        return books.map { $0.value(forKey: "title") as? String ?? "" }.sorted { $0 < $1 }
      }
    }

    /// The block writes what belongs to the main actor.
    func loadInPlace(_ context: NSManagedObjectContext) async throws {
      try await context.perform {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        try context.fetch(request).forEach { book in
          self.titles.append(book.value(forKey: "title") as? String ?? "")
        }
      }
    }

    /// Whether blocks run on the main queue, which may be on another thread than the process's first one.
    func place(_ context: NSManagedObjectContext) async -> (main: Bool, sendable: Bool) {
      let key = ActorBlockTests.onMainQueue
      DispatchQueue.main.setSpecific(key: key, value: true)
      let main = await context.perform { [1].map { _ in DispatchQueue.getSpecific(key: key) }[0] }
      let sendable = await context.perform { @Sendable in
        [1].map { _ in DispatchQueue.getSpecific(key: key) }[0]
      }
      return (main == true, sendable == true)
    }
  }

  private static let onMainQueue = DispatchSpecificKey<Bool>()

  private actor Keeper {
    var seen: [Int] = []
    func count(_ context: NSManagedObjectContext) async throws {
      try await context.perform {
        let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
        self.seen.append(contentsOf: try context.fetch(request).map { _ in 1 })
      }
    }
  }

  @Test("A main-actor class may map in the block of a background task")
  func backgroundTask() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      let shelf = await Shelf(stack.container)
      try await shelf.fill(3)
      try await shelf.load()
      let titles = await shelf.titles
      precondition(titles == ["Book 0", "Book 1", "Book 2"])
      try await shelf.loadInPlace(stack.context)
      let count = await shelf.titles.count
      precondition(count == 6)
      let keeper = Keeper()
      try await keeper.count(stack.context)
      let seen = await keeper.seen
      precondition(seen == [1, 1, 1])
    }
  }

  @Test("A block of the main actor runs on it, one that is @Sendable on the context's queue")
  func whereBlocksRun() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let place = await Shelf(stack.container).place(stack.context)
    #expect(place.main)
    #expect(!place.sendable)
  }

  @Test("The main actor goes on while the context is busy; its block has the context to itself")
  @MainActor func busyContext() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let view = stack.container.viewContext
    let order = Turnstile()
    let began = Turnstile()
    func occupy() {
      context.perform {
        began.meet(2)
        // Needs the main queue while the main actor waits for this context.
        view.performAndWait { order.note("first") }
      }
    }
    occupy()
    began.meet(2)
    await context.perform {
      order.note("second")
      context.performAndWait { order.note("nested") }
    }
    #expect(order.events == ["first", "second", "nested"])
  }

  @Test("Objects and functions that a function was given go into blocks")
  func givenObjects() async throws {
    func rename(
      _ book: NSManagedObject,
      in context: NSManagedObjectContext
    ) async throws -> String {
      try await context.perform {
        book.setValue("new", forKey: "title")
        try context.save()
        return book.value(forKey: "title") as? String ?? ""
      }
    }
    func run(
      _ context: NSManagedObjectContext,
      _ body: @escaping () throws -> Int
    ) async throws -> Int {
      try await context.perform(body)
    }
    let stack = try LibraryStack(NSInMemoryStoreType)
    let book = stack.make("Book")
    #expect(try await rename(book, in: stack.context) == "new")
    #expect(try await run(stack.context) { 3 } == 3)
    await #expect(throws: CancellationError.self) {
      _ = try await run(stack.context) { throw CancellationError() }
    }
  }

  @Test("performAndWait is a value of type (() -> Void) -> Void")
  func functionValue() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let run: (() -> Void) -> Void = stack.context.performAndWait
    var ran = false
    run { ran = true }
    #expect(ran)
    let name = stack.context.performAndWait { stack.context.hasChanges ? "changed" : "clean" }
    #expect(name == "clean")
    #expect(throws: CancellationError.self) {
      try stack.context.performAndWait { throw CancellationError() }
    }
  }
}
