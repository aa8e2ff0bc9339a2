// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Lets a thread own the queue from one call to another, for the deprecated methods `lock()`, `tryLock()` and
/// `unlock()` of contexts and coordinators.
extension ContextQueue {
  /// A call of `lock()` or `tryLock()` that has not been balanced by `unlock()`.
  struct Lock: Sendable {
    /// The token of the thread that made the call.
    let thread: UInt
    /// The token of the owner before the call; 0 if the queue was free.
    let formerOwner: UInt
    let entry: Entry
    /// How the thread came to own the queue.
    enum Entry { case owned, free, waited }
  }

  /// Waits until the queue is free, and makes the calling thread its owner until `unlock()`.
  ///
  /// Calls can be nested. Stops the program on a deadlock, as `sync(_:)` does. Also stops the program if a
  /// background thread locks the main queue, because only the main thread can own the main queue.
  func lock() {
    if isCurrent { return didEnter(.owned) }
    if kind == .main { Misuse.locksMainQueue(ownerDescription) }
    if entered.load(ordering: .sequentiallyConsistent) == 0, tryEnter() { return didEnter(.free) }
    // The entry does not borrow the queue, so no other thread runs its work, and the grant is certain.
    if waitForGrant(QueueEntry(self, isBorrowing: false, work: {})) { didEnter(.waited) }
  }

  /// Makes the calling thread the owner of the queue, as `lock()` does, but without waiting.
  ///
  /// - Returns: false if another thread owns the queue, or if a background thread tries to lock the main queue.
  func tryLock() -> Bool {
    if isCurrent {
      didEnter(.owned)
      return true
    }
    guard kind == .private, entered.load(ordering: .sequentiallyConsistent) == 0, tryEnter() else {
      return false
    }
    didEnter(.free)
    return true
  }

  /// Balances the calling thread's last call of `lock()`, or of a `tryLock()` that returned true; stops the
  /// program if there is no such call.
  func unlock() {
    let thread = CurrentThread.token
    let lock = locks.withLock { $0.last?.thread == thread ? $0.popLast() : nil }
    guard let lock else { Misuse.unlocksWithoutLock(ownerDescription) }
    owner.store(lock.formerOwner, ordering: .relaxed)
    switch lock.entry {
    case .owned: break
    case .free: gate.signal()
    case .waited: leave()
    }
  }

  private func didEnter(_ entry: Lock.Entry) {
    let thread = CurrentThread.token
    let former = owner.exchange(thread, ordering: .relaxed)
    locks.withLock { $0.append(Lock(thread: thread, formerOwner: former, entry: entry)) }
  }
}
