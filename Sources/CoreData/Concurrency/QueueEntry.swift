// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A thread that waits for its turn on a queue.
///
/// While it waits it may be asked to run, on its own thread, what another thread waits for on a queue
/// that the waiting thread owns: a child that reads from its parent would otherwise wait for a thread
/// that waits for the child.
final class QueueEntry: Sendable {
  /// The thread that waits.
  let thread: UInt
  /// The queue that it waits for.
  let queue: ContextQueue
  /// Whether the thread that owns the queue may run the work while it waits itself.
  let isLoan: Bool
  /// Whether the main queue stands still meanwhile.
  let holdsMainQueue: Bool
  private let state: Mutex<State>
  /// Signalled once for each event.
  private let events = DispatchSemaphore(value: 0)

  /// What a waiting thread is woken for.
  enum Event {
    /// The queue is the thread's: it runs its work, and gives the queue back.
    case granted
    /// Another thread has run the work.
    case done
    /// The work of another entry is to be run, on a queue that the thread owns.
    case serve(QueueEntry)
  }

  private enum Phase { case waiting, granted, claimed, done }
  private struct State: Sendable {
    var phase = Phase.waiting
    var work: Transfer<() -> Void>?
    var requests: [QueueEntry] = []
  }

  /// An entry of the calling thread, whose `work` runs once.
  init(_ queue: ContextQueue, isLoan: Bool, work: @escaping () -> Void) {
    thread = CurrentThread.token
    self.queue = queue
    self.isLoan = isLoan
    holdsMainQueue = CurrentThread.isMain
    // The waiting thread hands its work over, and goes on when the work is done.
    let work = Transfer(work)
    state = Mutex(State(work: work))
  }

  /// Whether no thread has begun with the work.
  var isWaiting: Bool { state.withLock { $0.phase == .waiting } }
  /// Whether the thread cannot go on yet.
  var isBlocked: Bool { state.withLock { $0.phase == .waiting || $0.phase == .claimed } }

  /// Gives the queue to the waiting thread.
  ///
  /// - Returns: false where another thread has run the work.
  func grant() -> Bool { begin(.granted) { events.signal() } }

  /// Takes the work for the calling thread; `run()` and `finish()` follow.
  ///
  /// - Returns: false where another thread has it.
  func claim() -> Bool { begin(.claimed) {} }

  private func begin(_ phase: Phase, _ then: () -> Void) -> Bool {
    state.withLock { state in
      guard state.phase == .waiting else { return false }
      state.phase = phase
      then()
      return true
    }
  }

  /// Runs the work, and lets go of it.
  func run() {
    let work = state.withLock { state in
      defer { state.work = nil }
      return state.work
    }
    work?.value()
  }

  /// Wakes the thread whose work another one has run.
  func finish() {
    state.withLock { $0.phase = .done }
    events.signal()
  }

  /// Asks the waiting thread to run the work of `request`.
  func ask(_ request: QueueEntry) {
    state.withLock { $0.requests.append(request) }
    events.signal()
  }

  /// Waits for the next event.
  func next() -> Event {
    events.wait()
    return state.withLock { state in
      if !state.requests.isEmpty { return .serve(state.requests.removeFirst()) }
      return state.phase == .granted ? .granted : .done
    }
  }
}
