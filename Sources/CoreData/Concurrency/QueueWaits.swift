// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Which thread waits for which queue, so that threads that wait for each other are reported instead
/// of hanging.
///
/// Such a circle closes with the last thread that starts to wait, and that one sees it: every other
/// thread of the circle entered its wait here before, and owned its queue before that. A circle that is
/// seen is real: its last step leads to the asking thread, which gives nothing up meanwhile, so the
/// step before waits indeed, and so on around.
///
/// A circle with a loan in it is opened: the thread that owns the borrowed queue waits, so it can run
/// the borrower's work.
enum QueueWaits {
  private static let waits = Mutex<[UInt: QueueEntry]>([:])

  /// Enters that the calling thread is about to wait; a circle without a loan stops the program.
  ///
  /// - Complexity: O(threads that wait).
  static func begin(_ entry: QueueEntry) {
    let stuck = waits.withLock { waits -> [QueueEntry]? in
      waits[entry.thread] = entry
      guard let circle = circle(from: entry, waits) else { return nil }
      if askLender(in: circle) { return nil }
      return circle
    }
    if let stuck { Misuse.contextsWaitForEachOther(stuck) }
  }

  /// Asks a thread of the circle to run what another one wants to borrow its queue for.
  ///
  /// One that waits in a call of the program comes first: its contexts are not in the midst of a change.
  ///
  /// - Returns: false where no thread of the circle borrows.
  private static func askLender(in circle: [QueueEntry]) -> Bool {
    let loans = circle.indices.filter { circle[$0].isLoan && circle[$0].isWaiting }
    // The queue that a step waits for belongs to the thread of the next one.
    func lender(_ index: Int) -> QueueEntry { circle[(index + 1) % circle.count] }
    guard let index = loans.first(where: { !lender($0).isLoan }) ?? loans.first else {
      return false
    }
    lender(index).ask(circle[index])
    return true
  }

  /// The thread of `entry` goes on, for a while or for good.
  static func end(_ entry: QueueEntry) {
    waits.withLock { _ = $0.removeValue(forKey: entry.thread) }
  }

  /// The waits from `entry` back to its thread; nil where the way ends elsewhere.
  private static func circle(
    from entry: QueueEntry,
    _ waits: [UInt: QueueEntry]
  ) -> [QueueEntry]? {
    var steps: [QueueEntry] = []
    var next = entry.thread
    while let wait = waits[next], wait.isBlocked, steps.count < waits.count {
      steps.append(wait)
      // Of the main queue only what it waits for is known, which is all that matters here.
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
