// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which thread waits for which queue, so that threads that wait for each other are reported instead
/// of hanging.
///
/// Such a circle closes with the last thread that starts to wait, and that one sees it: every other
/// thread of the circle entered its wait here before, and owned its queue before that. A circle that is
/// seen is real: its last step leads to the asking thread, which gives nothing up meanwhile, so the
/// step before waits indeed, and so on around.
enum QueueWaits {
  private struct Wait: Sendable {
    let queue: ContextQueue
    /// Whether the main queue stands still meanwhile.
    let holdsMainQueue: Bool
  }
  private static let waits = Mutex<[UInt: Wait]>([:])

  /// One thread of a circle, and the queue that it waits for.
  struct Step: Sendable {
    let thread: UInt
    let queue: ContextQueue
  }

  /// Enters that `thread`, the calling one, is about to wait for `queue`; a circle stops the program.
  ///
  /// - Complexity: O(threads that wait).
  static func begin(_ queue: ContextQueue, by thread: UInt) {
    let wait = Wait(queue: queue, holdsMainQueue: CurrentThread.isMain)
    let steps = waits.withLock { waits in
      waits[thread] = wait
      return circle(from: thread, waits)
    }
    if let steps { Misuse.contextsWaitForEachOther(steps) }
  }

  /// The wait is over.
  static func end(by thread: UInt) {
    waits.withLock { _ = $0.removeValue(forKey: thread) }
  }

  /// The steps from `thread` back to itself; nil where the way ends elsewhere.
  private static func circle(from thread: UInt, _ waits: [UInt: Wait]) -> [Step]? {
    var steps: [Step] = []
    var next = thread
    while let wait = waits[next], steps.count < waits.count {
      steps.append(Step(thread: next, queue: wait.queue))
      // Of the main queue only what it waits for is known, which is all that matters here.
      let owner =
        wait.queue.kind == .main
        ? waits.first { $0.value.holdsMainQueue }?.key : wait.queue.owningThread
      guard let owner else { return nil }
      if owner == thread { return steps }
      next = owner
    }
    return nil
  }
}
