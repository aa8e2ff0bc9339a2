// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The queue that a context's work runs on: one piece of work at a time, re-entrant.
///
/// Synchronous work runs on the calling thread while it owns the queue (as Apple's
/// `performAndWait`); a thread that owns it already runs on at once, however many other contexts lie
/// between.
final class ContextQueue: Sendable {
  enum Kind { case main, `private` }

  let kind: Kind
  private let queue: DispatchQueue
  private let owner = Atomic<UInt>(0)

  init(_ kind: Kind, label: String) {
    self.kind = kind
    queue = kind == .main ? .main : DispatchQueue(label: label)
  }

  /// Whether the calling thread runs this queue's work.
  var isCurrent: Bool {
    if owner.load(ordering: .relaxed) == CurrentThread.token { return true }
    return kind == .main && CurrentThread.isMain
  }

  /// Runs `body` now where the thread owns the queue, else when the queue is free.
  func sync<T>(_ body: () throws -> T) rethrows -> T {
    if isCurrent { return try owning(body) }
    return try queue.sync { try owning(body) }
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
}

/// The calling thread, cheaply.
enum CurrentThread {
  private static let main = Atomic<UInt>(0)

  /// Unique among living threads, never 0.
  static var token: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }

  /// Whether it is the main thread; `Thread.isMainThread` costs 310 ns, so its yes is remembered.
  static var isMain: Bool {
    let known = main.load(ordering: .relaxed)
    if known != 0 { return known == token }
    guard Thread.isMainThread else { return false }
    main.store(token, ordering: .relaxed)
    return true
  }
}

/// The context whose work the thread runs, for `NSFetchRequest.execute()`.
enum CurrentContext {
  @TaskLocal static var value: NSManagedObjectContext?
}
