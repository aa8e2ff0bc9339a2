// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// The threads that wait for queues, recorded to detect deadlocks, that is, cycles of threads that wait for
/// each other.
///
/// A deadlock stops the program with a report instead of hanging it.
///
/// A cycle is detected by the last of its threads to start waiting, because all other threads of the cycle
/// have already registered their waits. A detected cycle is a real deadlock: the detecting thread releases no
/// queue during the check, so the thread that waits for it cannot continue, and so on around the cycle.
///
/// A cycle in which a thread wants to borrow a queue can be broken, because the thread that owns this queue
/// is waiting and can run the borrower's work.
enum QueueWaits {
  private static let waits = Mutex<[UInt: QueueEntry]>([:])

  /// Registers that the calling thread is about to wait; stops the program if this closes a cycle in which no
  /// thread wants to borrow a queue.
  ///
  /// - Complexity: O(waiting threads).
  static func begin(_ entry: QueueEntry) {
    let stuck = waits.withLock { waits -> [QueueEntry]? in
      waits[entry.thread] = entry
      guard let cycle = cycle(from: entry, waits) else { return nil }
      if requestLoan(in: cycle) { return nil }
      return cycle
    }
    if let stuck { Misuse.contextsWaitForEachOther(stuck) }
  }

  /// Chooses a thread of the cycle that wants to borrow a queue, and asks the queue's owner to run that
  /// thread's work.
  ///
  /// Prefers an owner that is not itself borrowing: such an owner waits in a call made by the program, so its
  /// contexts are not in the middle of a change.
  ///
  /// - Returns: false if no thread of the cycle wants to borrow a queue.
  private static func requestLoan(in cycle: [QueueEntry]) -> Bool {
    let loans = cycle.indices.filter { cycle[$0].isBorrowing && cycle[$0].isWaiting }
    // The queue which one step waits for belongs to the thread of the next step.
    func queueOwner(_ index: Int) -> QueueEntry { cycle[(index + 1) % cycle.count] }
    guard let index = loans.first(where: { !queueOwner($0).isBorrowing }) ?? loans.first else {
      return false
    }
    queueOwner(index).requestService(of: cycle[index])
    return true
  }

  static func end(_ entry: QueueEntry) {
    waits.withLock { _ = $0.removeValue(forKey: entry.thread) }
  }

  /// Returns the waits that lead from `entry` back to its own thread, or nil if there is no such cycle.
  private static func cycle(
    from entry: QueueEntry,
    _ waits: [UInt: QueueEntry]
  ) -> [QueueEntry]? {
    var steps: [QueueEntry] = []
    var next = entry.thread
    while let wait = waits[next], wait.isBlocked, steps.count < waits.count {
      steps.append(wait)
      // The owner of the main queue is known only if that thread is itself waiting; a thread that is not
      // waiting cannot be part of a cycle.
      let owner =
        wait.queue.kind == .main
        ? waits.first { $0.value.holdsMainQueue }?.key : wait.queue.owningThread
      guard let owner else { return nil }
      if owner == entry.thread { return steps }
      next = owner
    }
    return nil
  }
}
