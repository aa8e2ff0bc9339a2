// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The threads that run the blocks of private queues.
///
/// Each queue with blocks has a thread of its own, because a block may wait for another queue. A queue gets
/// the thread that became idle last. So threads that only a burst of work needed stay idle, and end after
/// `idleLimit`.
///
/// `DispatchQueue` is not used for this on Linux: it wakes the thread that has been idle for the longest time.
/// With steady work no thread is then idle for long enough to end, and each moment with more work than
/// threads adds one for the rest of the program, with its stack and its caches of `malloc`.
/// See docs/decisions/0020-threads-of-private-queues.md.
final class WorkerThreads: Sendable {
  static let shared = WorkerThreads()

  /// The maximum number of threads, as in libdispatch; queues beyond it wait.
  private static let limit = 255
  /// The time in seconds after which an idle thread ends.
  private static let idleLimit = 5.0

  private struct State: Sendable {
    var count = 0
    /// The idle threads; the one that became idle last is the last.
    var idle: [Worker] = []
    /// Queues for which no thread was idle, in order.
    var waiting: [WorkQueue] = []
  }
  private let state = Mutex(State())

  /// The place in which an idle thread waits for a queue.
  private final class Worker: Sendable {
    let signal = DispatchSemaphore(value: 0)
    let queue = Mutex<WorkQueue?>(nil)
  }

  /// Lets a thread run the blocks of `queue`.
  func run(_ queue: WorkQueue) {
    enum Step { case wake(Worker), start, wait }
    let step: Step = state.withLock { state in
      if let worker = state.idle.popLast() { return .wake(worker) }
      state.waiting.append(queue)
      if state.count >= Self.limit { return .wait }
      state.count += 1
      return .start
    }
    switch step {
    case .wake(let worker):
      worker.queue.withLock { $0 = queue }
      worker.signal.signal()
    case .start: start()
    case .wait: break
    }
  }

  private func start() {
    #if canImport(Darwin) || canImport(Musl)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let code = pthread_create(
      &thread,
      nil,
      { _ in
        WorkerThreads.shared.work()
        return nil
      },
      nil
    )
    if code == 0 {
      #if canImport(Darwin) || canImport(Musl)
      if let thread { pthread_detach(thread) }
      #else
      pthread_detach(thread)
      #endif
      return
    }
    // The system has no thread left. A thread of libdispatch runs a waiting queue, once there is one.
    state.withLock { $0.count -= 1 }
    DispatchQueue.global().async { self.takeWaiting()?.runBlocks() }
  }

  private func takeWaiting() -> WorkQueue? {
    state.withLock { $0.waiting.isEmpty ? nil : $0.waiting.removeFirst() }
  }

  /// Runs queues until there have been none for some time.
  private func work() {
    Self.blockSignals()
    let worker = Worker()
    while let queue = next(worker) { queue.runBlocks() }
  }

  /// Returns the next queue for the thread of `worker`; nil if the thread must end.
  private func next(_ worker: Worker) -> WorkQueue? {
    let waiting: WorkQueue? = state.withLock { state in
      if !state.waiting.isEmpty { return state.waiting.removeFirst() }
      state.idle.append(worker)
      return nil
    }
    if let waiting { return waiting }
    while worker.signal.wait(timeout: .now() + Self.idleLimit) == .timedOut {
      let ends = state.withLock { state in
        // If the worker is no longer idle, a queue is being handed to it.
        guard let index = state.idle.firstIndex(where: { $0 === worker }) else { return false }
        state.idle.remove(at: index)
        state.count -= 1
        return true
      }
      if ends { return nil }
    }
    return worker.queue.withLock { queue in
      defer { queue = nil }
      return queue
    }
  }

  /// Leaves the signals of the process to the program's own threads, as libdispatch does.
  private static func blockSignals() {
    var signals = sigset_t()
    sigfillset(&signals)
    let own = [SIGABRT, SIGBUS, SIGFPE, SIGILL, SIGPIPE, SIGPROF, SIGSEGV, SIGSYS, SIGTRAP]
    for signal in own { sigdelset(&signals, signal) }
    pthread_sigmask(SIG_BLOCK, &signals, nil)
  }
}
