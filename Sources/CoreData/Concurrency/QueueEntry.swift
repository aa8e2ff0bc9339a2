// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A thread that waits for its turn on a queue.
///
/// While it waits, another thread may ask it to run work on a queue that the waiting thread owns. Without
/// such requests, a thread that reads from a parent for its child could deadlock with a thread that runs the
/// parent's work and waits for the child.
final class QueueEntry: Sendable {
  /// The token of the waiting thread.
  let thread: UInt
  let queue: ContextQueue
  /// Whether the thread that owns the queue may run the work while that thread is itself waiting.
  let isBorrowing: Bool
  /// Whether the waiting thread blocks the main queue.
  let holdsMainQueue: Bool
  private let state: Mutex<State>
  /// Signalled once for each event.
  private let events = DispatchSemaphore(value: 0)

  enum Event {
    /// The thread now owns the queue, and must run its work and then release the queue.
    case granted
    /// Another thread has run the work.
    case done
    /// The thread must run another entry's work, on a queue that the thread owns.
    case serve(QueueEntry)
  }

  private enum Phase { case waiting, granted, claimed, done }
  private struct State: Sendable {
    var phase = Phase.waiting
    var work: Transfer<() -> Void>?
    var requests: [QueueEntry] = []
  }

  /// Creates an entry for the calling thread; `work` runs once.
  init(_ queue: ContextQueue, isBorrowing: Bool, work: @escaping () -> Void) {
    thread = CurrentThread.token
    self.queue = queue
    self.isBorrowing = isBorrowing
    holdsMainQueue = CurrentThread.isMain
    // Only one thread runs the closure: the waiting thread after a grant, or the thread that claims the work.
    let work = Transfer(work)
    state = Mutex(State(work: work))
  }

  /// Whether the work has been neither granted nor claimed.
  var isWaiting: Bool { state.withLock { $0.phase == .waiting } }
  /// Whether the thread is still waiting, either for a grant or for another thread that has claimed the work.
  var isBlocked: Bool { state.withLock { $0.phase == .waiting || $0.phase == .claimed } }

  /// Grants the queue to the waiting thread; returns false if the work has already been granted or claimed.
  func grant() -> Bool { begin(.granted) { events.signal() } }

  /// Claims the work for the calling thread, which must then call `run()` and `finish()`; returns false if
  /// the work has already been granted or claimed.
  func claim() -> Bool { begin(.claimed) {} }

  private func begin(_ phase: Phase, _ then: () -> Void) -> Bool {
    state.withLock { state in
      guard state.phase == .waiting else { return false }
      state.phase = phase
      then()
      return true
    }
  }

  func run() {
    let work = state.withLock { state in
      defer { state.work = nil }
      return state.work
    }
    work?.value()
  }

  /// Wakes the waiting thread after another thread has run its work.
  func finish() {
    state.withLock { $0.phase = .done }
    events.signal()
  }

  /// Asks the waiting thread to run the work of `request`.
  func requestService(of request: QueueEntry) {
    state.withLock { $0.requests.append(request) }
    events.signal()
  }

  func next() -> Event {
    events.wait()
    return state.withLock { state in
      if !state.requests.isEmpty { return .serve(state.requests.removeFirst()) }
      return state.phase == .granted ? .granted : .done
    }
  }
}
