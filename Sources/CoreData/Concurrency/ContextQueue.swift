// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The queue that a context's work runs on: one piece of work at a time, re-entrant.
///
/// Synchronous work runs on the calling thread while it owns the queue (as Apple's
/// `performAndWait`); a thread that owns it already runs on at once, however many other contexts lie
/// between. Threads that would wait for each other for ever stop the program; see `QueueWaits`.
///
/// The dispatch queue keeps the order of what waits; the gate of a private queue keeps its work apart.
final class ContextQueue: Sendable {
  enum Kind { case main, `private` }

  let kind: Kind
  private let queue: DispatchQueue
  private let owner = Atomic<UInt>(0)
  /// Open while no work runs; that of the main queue is never used.
  private let gate = DispatchSemaphore(value: 1)
  /// Number of pieces of work that came to the dispatch queue and are not over.
  private let entered = Atomic<Int>(0)
  private let title: Mutex<Title>

  /// Whose queue it is, for reports.
  private struct Title: Sendable {
    var type: String
    var address: UInt = 0
    var name: String?
  }

  init(_ kind: Kind, label: String) {
    self.kind = kind
    queue = kind == .main ? .main : DispatchQueue(label: label)
    title = Mutex(Title(type: label))
  }

  /// Whether the calling thread runs this queue's work.
  var isCurrent: Bool {
    if owner.load(ordering: .relaxed) == CurrentThread.token { return true }
    return kind == .main && CurrentThread.isMain
  }

  /// The thread that runs this queue's work; 0 where there is none, and where it runs work of the main
  /// queue that is no context's.
  var owningThread: UInt { owner.load(ordering: .relaxed) }

  // MARK: Work

  /// Runs `body` now where the thread owns the queue, else when the queue is free.
  ///
  /// Stops the program where the queue can never become free, because its owner waits for a queue that
  /// the calling thread owns.
  func sync<T, Failure: Error>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    try enter(isLoan: false, body)
  }

  /// Runs `body` as `sync(_:)` does; where the queue's owner waits for a queue that the calling thread
  /// owns, the owner runs it on its own thread meanwhile.
  ///
  /// For what a child asks of its parent: whoever works on the parent and waits for the child expects
  /// the child to get on.
  func borrow<T, Failure: Error>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    try enter(isLoan: true, body)
  }

  /// Runs `body` after everything that waits already; it and what it captured are released before the
  /// queue is free again, so that what ends with them may wait for this queue.
  func async(_ body: @escaping @Sendable () -> Void) {
    let work = QueuedWork(body)
    if kind == .main {
      queue.async { self.owning { work.run() } }
      return
    }
    entered.add(1, ordering: .sequentiallyConsistent)
    queue.async {
      self.gate.wait()
      self.owning { work.run() }
      self.leave()
    }
  }

  /// Runs `body` on the calling thread if the queue is free.
  ///
  /// - Returns: nil where it is not, and for a main queue off its thread.
  func ifFree<T>(_ body: () -> T) -> T? {
    if isCurrent { return owning(body) }
    guard kind == .private, opens() else { return nil }
    defer { gate.signal() }
    return owning(body)
  }

  private func enter<T, Failure: Error>(
    isLoan: Bool,
    _ body: () throws(Failure) -> T
  ) throws(Failure) -> T {
    if isCurrent { return try owning(body) }
    // Nothing waits, so that going in now is being the first.
    if kind == .private, entered.load(ordering: .sequentiallyConsistent) == 0, opens() {
      defer { gate.signal() }
      return try owning(body)
    }
    var result: Result<T, Failure>?
    withoutActuallyEscaping({ result = Result(catching: body) }) { work in
      waitForTurn(QueueEntry(self, isLoan: isLoan, work: work))
    }
    guard let result else { Misuse.workDidNotRun() }
    return try result.get()
  }

  /// Returns when the work of the entry has run, here or on another thread.
  private func waitForTurn(_ entry: QueueEntry) {
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
        owning { entry.run() }
        return leave()
      case .done:
        return QueueWaits.end(entry)
      }
    }
  }

  private func submit(_ entry: QueueEntry) {
    if kind == .main {
      // The main queue's work runs on the main thread.
      queue.async { self.serve(entry) }
      return
    }
    entered.add(1, ordering: .sequentiallyConsistent)
    queue.async {
      if entry.isWaiting {
        self.gate.wait()
        // The thread that waits goes on, and opens the gate when its work is done.
        if entry.grant() { return }
        self.gate.signal()
      }
      self.entered.subtract(1, ordering: .sequentiallyConsistent)
    }
  }

  /// Runs the work of an entry on the calling thread, which owns the queue, for the thread that waits.
  private func serve(_ entry: QueueEntry) {
    guard entry.claim() else { return }
    owning { entry.run() }
    entry.finish()
  }

  private func opens() -> Bool { gate.wait(timeout: .now()) == .success }

  /// The end of work that came through the dispatch queue.
  private func leave() {
    entered.subtract(1, ordering: .sequentiallyConsistent)
    gate.signal()
  }

  private func owning<T, Failure: Error>(_ body: () throws(Failure) -> T) throws(Failure) -> T {
    let former = owner.exchange(CurrentThread.token, ordering: .relaxed)
    defer { owner.store(former, ordering: .relaxed) }
    return try body()
  }

  // MARK: Reports

  /// Says whose queue it is; the object is not retained.
  func belong(to object: AnyObject) {
    let address = UInt(bitPattern: Unmanaged.passUnretained(object).toOpaque())
    title.withLock { $0.address = address }
  }

  func rename(_ name: String?) { title.withLock { $0.name = name } }

  /// The owner of the queue, such as `<NSManagedObjectContext: 0x5581> (private queue, "import")`.
  var ownerDescription: String {
    let title = title.withLock { $0 }
    let address = title.address == 0 ? "" : ": 0x" + String(title.address, radix: 16)
    let name = title.name.map { ", \"\($0)\"" } ?? ""
    return "<\(title.type)\(address)> (\(kind) queue\(name))"
  }
}

/// A block that runs once, and is released with what it captured when it has run.
private final class QueuedWork: @unchecked Sendable {
  // Unchecked: written when it is made, and by the one thread that runs it.
  private var body: (@Sendable () -> Void)?

  init(_ body: @escaping @Sendable () -> Void) { self.body = body }

  func run() {
    let body = self.body
    self.body = nil
    body?()
  }
}
