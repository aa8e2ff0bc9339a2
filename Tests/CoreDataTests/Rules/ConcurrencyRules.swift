// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The rules of behaviour.md §9 that are documented or tested.
@Suite struct ConcurrencyRules {
  @Test(
    "CON-1 a private queue runs one piece of work at a time; a main-queue context uses the main queue"
  )
  func con1() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let counter = Turnstile()
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<50 {
        group.addTask {
          await context.perform {
            counter.note("in")
            counter.note("out")
          }
        }
      }
    }
    #expect(counter.events == (0..<50).flatMap { _ in ["in", "out"] })
    #expect(context.concurrencyType == .privateQueueConcurrencyType)
    let view = stack.container.viewContext
    #expect(view.concurrencyType == .mainQueueConcurrencyType)
    await view.perform { dispatchPrecondition(condition: .onQueue(.main)) }
  }

  @Test("CON-2 perform runs later, in order, and processes pending changes at its end")
  func con2Perform() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let order = Turnstile()
    let changes = Posts(context, NSManagedObjectContext.didChangeObjectsNotification)
    // The queue is held, so that nothing can run before all of it waits.
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      context.performAndWait {
        for number in 0..<20 {
          context.perform {
            order.note("\(number) after \(changes.count)")
            _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
          }
        }
        context.perform { done.resume() }
        order.note("waiting")
      }
    }
    #expect(order.events == ["waiting"] + (0..<20).map { "\($0) after \($0)" })
  }

  @Test("CON-2 performAndWait runs on the calling thread, nests, and processes nothing at its end")
  func con2PerformAndWait() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let (context, other) = (stack.context, stack.container.newBackgroundContext())
    let changes = Posts(context, NSManagedObjectContext.didChangeObjectsNotification)
    let caller = Thread.current
    var threads: [Bool] = []
    context.performAndWait {
      threads.append(Thread.current === caller)
      context.performAndWait { threads.append(Thread.current === caller) }
      other.performAndWait {
        context.performAndWait { threads.append(Thread.current === caller) }
      }
      _ = stack.make("Tag")
    }
    #expect(threads == [true, true, true])
    #expect(changes.count == 0 && context.hasChanges)
    context.processPendingChanges()
    #expect(changes.count == 1)
  }

  @Test("CON-2 performAndWait of a context that another thread owns waits for it")
  func con2Waits() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let (context, container) = (stack.context, stack.container)
    let order = Turnstile()
    let start = Turnstile()
    await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
      onThread {
        context.performAndWait {
          start.meet(2)
          // Long enough for the other thread to overtake, were it let.
          for _ in 0..<1000 { _ = container.newBackgroundContext() }
          order.note("first")
        }
      }
      onThread {
        start.meet(2)
        context.performAndWait { order.note("second") }
        done.resume()
      }
    }
    #expect(order.events == ["first", "second"])
  }

  @Test("CON-3 .immediate runs now on the context's own queue, .enqueued after what waits")
  @MainActor func con3() async throws {
    let view = try LibraryStack(NSInMemoryStoreType).container.viewContext
    let order = Turnstile()
    enqueue(view) { order.note("waited") }
    await view.perform { order.note("immediate") }
    #expect(order.events == ["immediate"], "the main actor is on the queue of a main-queue context")
    await view.perform(schedule: .enqueued) { order.note("enqueued") }
    #expect(order.events == ["immediate", "waited", "enqueued"])
  }

  @Test("CON-3 off its queue .immediate waits its turn; values and errors come back")
  func con3OffQueue() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let order = Turnstile()
    enqueue(context) { order.note("first") }
    let value = await context.perform { () -> Int in
      order.note("second")
      return 7
    }
    #expect(value == 7 && order.events == ["first", "second"])
    await #expect(throws: CancellationError.self) {
      try await context.perform { throw CancellationError() }
    }
    #expect(throws: CancellationError.self) {
      try context.performAndWait { throw CancellationError() }
    }
    let text: String = context.performAndWait { "done" }
    #expect(text == "done")
    let twice = try await stack.container.performBackgroundTask { background -> Int in
      try background.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book")) + 2
    }
    #expect(twice == 2)
  }

  @Test("CON-5 a request executes in the context whose block runs")
  func con5() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    _ = stack.make("Tag", ["name": "unsaved"])
    let (inner, outer) = (stack.context, stack.container.newBackgroundContext())
    let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
    let counts = try outer.performAndWait {
      let before = try request.execute().count
      let within = try inner.performAndWait { try request.execute().count }
      return [before, within, try request.execute().count]
    }
    #expect(counts == [0, 1, 0])
    #expect(try await inner.perform { try request.execute().count } == 1)
  }

  @Test("CON-6 notifications are posted at once, on the thread that runs the context's work")
  func con6() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let posts = Posts(context, NSManagedObjectContext.didSaveObjectsNotification)
    let same = try await context.perform {
      _ = stack.make("Tag")
      let thread = Thread.current
      try context.save()
      return posts.threads == [thread]
    }
    #expect(same)
  }

  @Test("CON-7 the coordinator's queue is serial; an SQLite store reads for several at once")
  func con7() async throws {
    let stack = try LibraryStack()
    let coordinator = stack.container.persistentStoreCoordinator
    let order = Turnstile()
    coordinator.performAndWait {
      coordinator.perform { order.note("later") }
      order.note("now")
    }
    coordinator.performAndWait {}
    #expect(order.events == ["now", "later"])

    let store = try #require(coordinator.persistentStores.first)
    let readers = Turnstile()
    let met = Turnstile()
    store.statements.setOnStart { _ in met.note("\(readers.meet(3))") }
    defer { store.statements.setOnStart(nil) }
    await withTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        let context = stack.container.newBackgroundContext()
        group.addTask {
          await withCheckedContinuation { (done: CheckedContinuation<Void, Never>) in
            onThread {
              context.performAndWait {
                let request = NSFetchRequest<NSManagedObject>(entityName: "Tag")
                if (try? context.fetch(request)) == nil { met.note("failed") }
              }
              done.resume()
            }
          }
        }
      }
    }
    #expect(met.events == ["true", "true", "true"], "each reader met the two others in its fetch")
  }

  @Test("CON-9 on the main thread a main-queue context needs nobody to drain the main queue")
  @MainActor func con9() throws {
    let view = try LibraryStack(NSInMemoryStoreType).container.viewContext
    // Nothing is awaited: no turn of the main queue ends before the results are there.
    let count = try view.performAndWait {
      _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: view)
      try view.save()
      return try view.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
    }
    #expect(count == 1)
  }

  @Test("CON-8 contexts, containers, coordinators and IDs are Sendable; IDs mean the same anywhere")
  func con8() async throws {
    requireSendable(NSManagedObjectContext.self)
    requireSendable(NSManagedObjectID.self)
    requireSendable(NSPersistentContainer.self)
    requireSendable(NSPersistentStoreCoordinator.self)
    let stack = try LibraryStack()
    let tag = stack.make("Tag", ["name": "shared"])
    try stack.context.save()
    let id = tag.objectID
    let container = stack.container
    let ids = try await withThrowingTaskGroup(of: NSManagedObjectID.self) { group in
      for _ in 0..<8 {
        group.addTask {
          try await container.performBackgroundTask { context in
            let object = try context.existingObject(with: id)
            #expect(object.value(forKey: "name") as? String == "shared")
            return object.objectID
          }
        }
      }
      return try await group.reduce(into: []) { $0.append($1) }
    }
    #expect(ids.allSatisfy { $0 == id && $0.hash == id.hash } && ids.count == 8)
  }

  /// The form without `await`, which an asynchronous function cannot name.
  private func enqueue(
    _ context: NSManagedObjectContext,
    _ block: @escaping @Sendable () -> Void
  ) {
    context.perform(block)
  }

  private func requireSendable<Value: Sendable>(_ type: Value.Type) {}
}

/// Notifications of one context: how many, and on which threads.
final class Posts: @unchecked Sendable {
  // Unchecked: the lock guards what changes.
  private let lock = NSLock()
  private var posted: [(notification: Notification, thread: Thread)] = []
  private var token: (any NSObjectProtocol)?

  init(_ object: AnyObject?, _ name: NSNotification.Name) {
    token = NotificationCenter.default.addObserver(forName: name, object: object, queue: nil) {
      [unowned self] in add($0)
    }
  }

  deinit { token.map { NotificationCenter.default.removeObserver($0) } }

  private func add(_ notification: Notification) {
    lock.withLock { posted.append((notification, .current)) }
  }

  var count: Int { lock.withLock { posted.count } }
  var last: Notification? { lock.withLock { posted.last?.notification } }
  var threads: [Thread] { lock.withLock { posted.map(\.thread) } }
  /// What each notification says.
  var infos: [[AnyHashable: Any]] {
    lock.withLock { posted.map { $0.notification.userInfo ?? [:] } }
  }
}
