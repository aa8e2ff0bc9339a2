// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// When the blocks that run on a context's queue, and what they capture, are released.
@Suite struct BlockLifetimeTests {
  /// Waits for the context where its last reference goes.
  private final class Guest: Sendable {
    let context: NSManagedObjectContext
    let ended: @Sendable (_ count: Int?) -> Void

    init(_ context: NSManagedObjectContext, ended: @escaping @Sendable (Int?) -> Void = { _ in }) {
      self.context = context
      self.ended = ended
    }

    deinit {
      let count = context.performAndWait {
        try? context.count(for: NSFetchRequest<NSManagedObject>(entityName: "Tag"))
      }
      ended(count)
    }
  }

  /// A block that is the only owner of a guest by the time it ends.
  private static func performAlone(
    _ context: NSManagedObjectContext,
    _ ended: @escaping @Sendable (Int?) -> Void
  ) {
    let released = Turnstile()
    func hand() {
      context.perform { [guest = Guest(context, ended: ended)] in
        released.meet(2)
        withExtendedLifetime(guest) {}
      }
    }
    hand()
    released.meet(2)
  }

  @Test("A block's last reference may go on its queue: what it captured may wait for the context")
  func lastReferenceOnTheQueue() async {
    await #expect(processExitsWith: .success) {
      let stack = try LibraryStack(NSInMemoryStoreType)
      for context in [stack.context, stack.container.viewContext] {
        let count = await withCheckedContinuation { continuation in
          BlockLifetimeTests.performAlone(context) { continuation.resume(returning: $0) }
        }
        precondition(count == 0)
      }
    }
  }

  @Test("The block of an awaited perform, and what it gave, belong to the caller alone after it")
  func nothingIsHeldAfterAnAwaitedPerform() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    for _ in 0..<2000 {
      weak var captured: Guest?
      weak var given: Guest?
      do {
        let guest = Guest(context)
        captured = guest
        let result = await context.perform { [guest] in
          withExtendedLifetime(guest) {}
          return Guest(context)
        }
        given = result
      }
      if captured != nil || given != nil {
        Issue.record("the queue still held them")
        return
      }
    }
  }

  @Test("A background task's context belongs to its block alone")
  func theContextOfABackgroundTaskGoesWithIt() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    for _ in 0..<500 {
      weak var made: NSManagedObjectContext?
      await stack.container.performBackgroundTask { made = $0 }
      if made != nil {
        Issue.record("the context outlives the task")
        return
      }
    }
  }

  @Test("performAndWait of a coordinator nests")
  func coordinatorsNest() throws {
    let coordinator = try LibraryStack(NSInMemoryStoreType).container.persistentStoreCoordinator
    let count = coordinator.performAndWait {
      coordinator.performAndWait { coordinator.persistentStores.count }
    }
    #expect(count == 1)
  }
}
