// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The serial, re-entrant queue on which the work of a context or a coordinator runs.
///
/// `sync(_:)` runs work of a private queue on the calling thread, and work of the main queue on the main
/// queue. A thread that already owns the queue runs the work at once, even if it entered other queues in
/// between. The program stops if threads would wait for each other forever; see `QueueWaits`.
///
/// The main queue or a `WorkQueue` orders the waiting work; the gate of a private queue ensures that only one
/// piece of work runs at a time.
final class ContextQueue: Sendable {
  enum Kind { case main, `private` }

  let kind: Kind
  /// The queue of the waiting work; not used for the main queue.
  private let queue = WorkQueue()
  let owner = Atomic<UInt>(0)
  /// Open while no work runs; not used for the main queue.
  let gate = DispatchSemaphore(value: 1)
  /// The number of pieces of work that were submitted to `queue` and have not ended; not used for the main
  /// queue.
  let entered = Atomic<Int>(0)
  /// The calls of `lock()` and `tryLock()` that `unlock()` has not balanced yet.
  let locks = Mutex<[Lock]>([])
  private let title: Mutex<Title>

  /// The type, address and name of the queue's context or coordinator, for reports.
  private struct Title: Sendable {
    var type: String
    var address: UInt = 0
    var name: String?
  }

  init(_ kind: Kind, label: String) {
    self.kind = kind
    title = Mutex(Title(type: label))
  }

  /// Whether the calling thread owns the queue, that is, runs the queue's work; the main thread always owns
  /// the main queue.
  var isCurrent: Bool {
    if owner.load(ordering: .relaxed) == CurrentThread.token { return true }
    return kind == .main && CurrentThread.isMain
  }

  /// The token of the thread that is running work submitted through this object; 0 if there is none.
  var owningThread: UInt { owner.load(ordering: .relaxed) }

  // MARK: Work

  /// Runs `body` now if the calling thread owns the queue, otherwise when the queue is free.
  ///
  /// Stops the program on a deadlock, that is, if the calling thread and other threads would wait for each
  /// other's queues forever.
  func sync<T, Failure: Error>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    try enter(isBorrowing: false, body)
  }

  /// Runs `body` as `sync(_:)` does, but resolves a deadlock instead of stopping the program.
  ///
  /// If the thread that owns the queue is itself waiting, directly or through other threads, for a queue that
  /// the calling thread owns, the owner of this queue runs `body`.
  ///
  /// Used for a child's calls to its parent, because a thread that runs work of the parent and waits for the
  /// child must not block the child.
  func borrow<T, Failure: Error>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    try enter(isBorrowing: true, body)
  }

  /// Schedules `body` after all work that is already waiting.
  ///
  /// `body` and what it captures are released while the thread that ran `body` still owns the queue, so a
  /// `deinit` that runs then can call `sync(_:)` without waiting.
  func async(_ body: @escaping @Sendable () -> Void) {
    let work = QueuedWork(body)
    if kind == .main {
      DispatchQueue.main.async { self.owning { work.run() } }
      return
    }
    entered.add(1, ordering: .sequentiallyConsistent)
    queue.async {
      self.gate.wait()
      self.owning { work.run() }
      self.leave()
    }
  }

  /// Runs `body` if the calling thread owns the queue, or if the queue is a private queue that is free.
  ///
  /// - Returns: the result of `body`; nil if `body` was not run.
  func ifFree<T>(_ body: () -> T) -> T? {
    if isCurrent { return owning(body) }
    guard kind == .private, tryEnter() else { return nil }
    defer { gate.signal() }
    return owning(body)
  }

  private func enter<T, Failure: Error>(
    isBorrowing: Bool,
    _ body: () throws(Failure) -> T
  ) throws(Failure) -> T {
    if isCurrent { return try owning(body) }
    // No work is waiting, so entering now does not overtake other work.
    if kind == .private, entered.load(ordering: .sequentiallyConsistent) == 0, tryEnter() {
      defer { gate.signal() }
      return try owning(body)
    }
    var result: Result<T, Failure>?
    withoutActuallyEscaping({ result = Result(catching: body) }) { work in
      waitForTurn(QueueEntry(self, isBorrowing: isBorrowing, work: work))
    }
    guard let result else { Misuse.workDidNotRun(ownerDescription) }
    return try result.get()
  }

  /// Returns after the entry's work has run, on this thread or on another one.
  private func waitForTurn(_ entry: QueueEntry) {
    guard waitForGrant(entry) else { return }
    owning { entry.run() }
    leave()
  }

  /// Returns true when the queue is granted to the calling thread, which must then call `leave()`; false
  /// after another thread has run the entry's work.
  func waitForGrant(_ entry: QueueEntry) -> Bool {
    submit(entry)
    QueueWaits.begin(entry)
    while true {
      switch entry.next() {
      case .serve(let request):
        QueueWaits.end(entry)
        request.queue.serve(request)
        QueueWaits.begin(entry)
      case .granted:
        QueueWaits.end(entry)
        return true
      case .done:
        QueueWaits.end(entry)
        return false
      }
    }
  }

  private func submit(_ entry: QueueEntry) {
    if kind == .main {
      // The work must run in a block of the main queue.
      DispatchQueue.main.async { self.serve(entry) }
      return
    }
    entered.add(1, ordering: .sequentiallyConsistent)
    queue.async {
      if entry.isWaiting {
        self.gate.wait()
        // The waiting thread resumes, and opens the gate when its work has ended.
        if entry.grant() { return }
        self.gate.signal()
      }
      self.entered.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  /// Runs an entry's work on the calling thread, which owns the queue, on behalf of the waiting thread.
  private func serve(_ entry: QueueEntry) {
    guard entry.claim() else { return }
    owning { entry.run() }
    entry.finish()
  }

  func tryEnter() -> Bool { gate.wait(timeout: .now()) == .success }

  func leave() {
    entered.subtract(1, ordering: .sequentiallyConsistent)
    gate.signal()
  }

  private func owning<T, Failure: Error>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    let former = owner.exchange(CurrentThread.token, ordering: .relaxed)
    defer { owner.store(former, ordering: .relaxed) }
    return try body()
  }

  // MARK: Descriptions for reports

  /// Records the address of `object`, the context whose work the queue runs, for `ownerDescription`.
  func setOwner(_ object: AnyObject) {
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    title.withLock { $0.address = address }
  }

  func setName(_ name: String?) { title.withLock { $0.name = name } }

  /// A description of the context or coordinator whose work the queue runs, for example
  /// `<NSManagedObjectContext: 0x5581> (private queue, "import")`.
  var ownerDescription: String {
    let title = title.withLock { $0 }
    let address = title.address == 0 ? "" : ": 0x" + String(title.address, radix: 16)
    let name = title.name.map { ", \"\($0)\"" } ?? ""
    return "<\(title.type)\(address)> (\(kind) queue\(name))"
  }
}

/// A block that runs once and is then released with what it captured.
private final class QueuedWork: @unchecked Sendable {
  // Unchecked: `body` is set at creation, and cleared only by the one thread that runs the block.
  private var body: (@Sendable () -> Void)?

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run() {
    let body = self.body
    self.body = nil
    body?()
  }
}
