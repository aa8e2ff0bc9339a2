// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// What `lock()`, `tryLock()` and `unlock()` are called through, because they are deprecated.
private protocol Lockable: AnyObject, Sendable {
  func lock()
  func tryLock() -> Bool
  func unlock()
}
extension NSManagedObjectContext: Lockable {}
extension NSPersistentStoreCoordinator: Lockable {}

/// Deprecated methods of contexts and coordinators, documented in Apple's headers.
@Suite("Locks of contexts and coordinators")
struct LockingTests {
  private static func onAnotherThread(_ body: @escaping @Sendable () -> Void) {
    let done = DispatchSemaphore(value: 0)
    Thread.detachNewThread {
      body()
      done.signal()
    }
    done.wait()
  }

  @Test("A lock keeps other threads and blocks out until it is unlocked as often as it was locked")
  func exclusion() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let coordinator = stack.container.persistentStoreCoordinator
    for lockable in [stack.context, coordinator] as [any Lockable] {
      let events = Turnstile()
      lockable.lock()
      #expect(lockable.tryLock(), "a lock nests")
      let performed = DispatchSemaphore(value: 0)
      let block: @Sendable () -> Void = {
        events.note("block")
        performed.signal()
      }
      (lockable as? NSManagedObjectContext)?.perform(block)
      (lockable as? NSPersistentStoreCoordinator)?.perform(block)
      Self.onAnotherThread { events.note("free \(lockable.tryLock())") }
      lockable.unlock()
      Self.onAnotherThread { events.note("free \(lockable.tryLock())") }
      events.note("unlocked")
      lockable.unlock()
      performed.wait()
      #expect(events.events == ["free false", "free false", "unlocked", "block"])
    }
  }

  @Test("A lock waits for the work that runs, and the next work waits for the lock")
  func waiting() throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let context = stack.context
    let events = Turnstile()
    let (begun, ended) = (DispatchSemaphore(value: 0), DispatchSemaphore(value: 0))
    context.performAndWait {
      Thread.detachNewThread {
        begun.signal()
        (context as any Lockable).lock()
        events.note("locked")
        context.perform { ended.signal() }
        events.note("unlocks")
        (context as any Lockable).unlock()
      }
      begun.wait()
      events.note("performs")
    }
    ended.wait()
    #expect(events.events == ["performs", "locked", "unlocks"])
  }

  @Test("The thread with the lock may use the context's objects, and performAndWait runs at once")
  func confinement() async {
    await #expect(processExitsWith: .success) {
      setenv("COREDATA_CONCURRENCY_DEBUG", "1", 1)
      let stack = try LibraryStack(NSInMemoryStoreType)
      let context = stack.context as any Lockable
      context.lock()
      let tag = stack.make("Tag", ["name": "a"])
      let name = stack.context.performAndWait { tag.value(forKey: "name") as? String }
      context.unlock()
      if name != "a" { exit(1) }
    }
  }

  @Test("Unlocking without a lock, and locking the main queue elsewhere, stop the program")
  func misuse() async {
    await #expect(processExitsWith: .failure) {
      let context = NSManagedObjectContext(.privateQueue)
      (context as any Lockable).unlock()
    }
    await #expect(processExitsWith: .failure) {
      let context = NSManagedObjectContext(.privateQueue) as any Lockable
      context.lock()
      LockingTests.onAnotherThread { context.unlock() }
    }
    await #expect(processExitsWith: .failure) {
      let context = NSManagedObjectContext(.mainQueue) as any Lockable
      LockingTests.onAnotherThread { context.lock() }
    }
  }
}
