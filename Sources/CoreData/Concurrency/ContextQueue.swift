// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The queue that a context's work runs on: one piece of work at a time, re-entrant.
///
/// Synchronous work runs on the calling thread while it owns the queue (as Apple's
/// `performAndWait`); a thread that owns it already runs on at once, however many other contexts lie
/// between. Threads that would wait for each other for ever stop the program; see `QueueWaits`.
final class ContextQueue: Sendable {
  enum Kind { case main, `private` }

  let kind: Kind
  private let queue: DispatchQueue
  private let owner = Atomic<UInt>(0)
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

  /// Runs `body` now where the thread owns the queue, else when the queue is free.
  ///
  /// Stops the program where the queue can never become free, because its owner waits for a queue that
  /// the calling thread owns.
  func sync<T>(_ body: () throws -> T) rethrows -> T {
    if isCurrent { return try owning(body) }
    let caller = CurrentThread.token
    QueueWaits.begin(self, by: caller)
    // Work for the main queue runs on the main thread while the caller goes on waiting.
    defer { if kind == .main { QueueWaits.end(by: caller) } }
    return try queue.sync {
      if kind != .main { QueueWaits.end(by: caller) }
      return try owning(body)
    }
  }

  /// Runs `body` after everything that waits already.
  func async(_ body: @escaping @Sendable () -> Void) {
    queue.async { self.owning(body) }
  }

  private func owning<T>(_ body: () throws -> T) rethrows -> T {
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

/// The context whose work the thread runs, for `NSFetchRequest.execute()`.
enum CurrentContext {
  @TaskLocal static var value: NSManagedObjectContext?
}
