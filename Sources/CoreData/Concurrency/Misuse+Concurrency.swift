// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Source: the first message contains the symbol name that crash logs of Apple's framework show; the wording
/// is this library's choice.
extension Misuse {
  /// `subject` describes the object, ID or request that `call` concerned.
  static func usedOffQueue(_ queue: ContextQueue, _ call: String, _ subject: String?) -> Never {
    let owner = queue.kind == .main ? CurrentThread.main : queue.owningThread
    let running =
      owner == 0
      ? "no thread is known to be running its work"
      : "its work runs on \(CurrentThread.describe(owner))"
    fatalError(
      "CoreData: error: Multithreading violation "
        + "(__Multithreading_Violation_AllThatIsLeftToUsIsHonor__): \(call) was called on "
        + "\(CurrentThread.describe(CurrentThread.token))\(threadName), outside the queue of "
        + "\(queue.ownerDescription); \(running)."
        + (subject.map { " The call concerned \($0)." } ?? "")
        + (queue.kind == .main
          ? " Use a main-queue context on the main thread, or inside its perform or performAndWait."
          : " Use a private-queue context inside its perform or performAndWait.")
    )
  }

  private static var threadName: String {
    guard let name = Thread.current.name, !name.isEmpty else { return "" }
    return " (\(name))"
  }

  static func workDidNotRun(_ owner: String) -> Never {
    fatalError(
      "CoreData: error: internal error: a call stopped waiting for \(owner) before its block had run. This "
        + "is a defect of the library; please report it."
    )
  }

  static func contextsWaitForEachOther(_ cycle: [QueueEntry]) -> Never {
    let lines = cycle.enumerated().map { index, step in
      // In a cycle, a thread owns the queue which the preceding thread waits for.
      let owned = cycle[(index + cycle.count - 1) % cycle.count].queue
      return
        "\n  \(CurrentThread.describe(step.thread)) runs work of \(owned.ownerDescription) and "
        + "waits for \(step.queue.ownerDescription)"
    }
    fatalError(
      "CoreData: error: Deadlock: performAndWait would never return, because threads wait for each other's "
        + "queues:\(lines.joined()).\nUse perform instead of performAndWait, or wait in one direction only."
    )
  }

  static func locksMainQueue(_ owner: String) -> Never {
    fatalError(
      "CoreData: error: lock() was called on \(CurrentThread.describe(CurrentThread.token))\(threadName) for "
        + "\(owner). Only the main thread can lock a main-queue context; use performAndWait on other threads."
    )
  }

  static func unlocksWithoutLock(_ owner: String) -> Never {
    fatalError(
      "CoreData: error: unlock() was called on \(CurrentThread.describe(CurrentThread.token))\(threadName) "
        + "for \(owner), which this thread has not locked. Call unlock() once for each lock() and for each "
        + "tryLock() that returned true, on the same thread."
    )
  }
}
