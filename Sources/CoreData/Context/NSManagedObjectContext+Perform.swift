// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// When work for `perform(schedule:_:)` starts.
  public enum ScheduledTaskType: Sendable {
    /// At once where the caller runs on the context's queue already, else when the queue is free.
    case immediate
    /// After everything that waits already.
    case enqueued
  }

  /// The queue of a context, as a type.
  public struct ConcurrencyType: Hashable, RawRepresentable, Sendable {
    /// 1 for a private queue, 2 for the main queue, as in `NSManagedObjectContextConcurrencyType`.
    public let rawValue: Int
    /// The type with that number; any but 2 works as a private queue.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// A serial queue of the context's own.
    public static let privateQueue = ConcurrencyType(rawValue: 1)
    /// The main queue.
    public static let mainQueue = ConcurrencyType(rawValue: 2)
  }

  /// Runs `block` on the context's queue, later; then processes pending changes.
  ///
  /// The block, and what it captured, are released on the queue.
  public func perform(_ block: @escaping @Sendable () -> Void) {
    queue.async { self.inContext(block, processing: true) }
  }

  /// Runs `block` on the context's queue and waits for it; at once where the caller is on the queue.
  ///
  /// Runs on the calling thread. Pending changes are not processed after it, as in Apple's framework.
  public func performAndWait(_ block: () -> Void) {
    queue.sync { CurrentContext.$value.withValue(self, operation: block) }
  }

  /// Runs `block` on the context's queue, waits for it and returns its result; at once where the caller
  /// is on the queue.
  ///
  /// Runs on the calling thread. Pending changes are not processed after it, as in Apple's framework.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    try queue.sync { try CurrentContext.$value.withValue(self, operation: block) }
  }

  /// Runs `block` on the context's queue and returns its result; then processes pending changes.
  ///
  /// At once, without suspending, where `schedule` is `.immediate` and the caller runs on the context's
  /// queue already, as the main actor does on that of a main-queue context. A block that belongs to the
  /// caller's actor, as every block does that code of the main actor writes without `@Sendable`, runs on
  /// that actor while it has the context's queue to itself; write `{ @Sendable in … }` to keep work off
  /// the main actor. The block, and what it captured, are the caller's alone when this returns.
  /// `isolation` is the caller's actor: leave it alone.
  public func perform<T, Failure: Error>(
    schedule: ScheduledTaskType = .immediate,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @isolated(any) () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try await run(schedule, isolation, owner: block.isolation, Self.unisolated(block))
  }

  /// A block as one that may be called anywhere; the call itself is the same.
  ///
  /// It is called where its actor runs, or on the queue of the context that the program gave it to.
  private static func unisolated<T, Failure: Error>(
    _ block: @escaping @isolated(any) () throws(Failure) -> T
  ) -> () throws(Failure) -> T {
    // Both types have one representation: a block carries its actor in what it captured.
    unsafeBitCast(block, to: (() throws(Failure) -> T).self)
  }

  /// What `perform(schedule:_:)` does with a block of the actor `owner`.
  func run<T, Failure: Error>(
    _ schedule: ScheduledTaskType,
    _ isolation: isolated (any Actor)?,
    owner: (any Actor)?,
    _ body: @escaping () throws(Failure) -> T
  ) async throws(Failure) -> T {
    if schedule == .immediate && queue.isCurrent {
      return try inContext({ Result(catching: body) }, processing: true).get()
    }
    if let owner, owner === isolation, queue.kind == .private {
      return try await performOnActor(isolation, body).get()
    }
    let work = AwaitedWork(self, body)
    await withCheckedContinuation(isolation: isolation) {
      (continuation: CheckedContinuation<Void, Never>) in
      queue.async {
        work.run()
        continuation.resume()
      }
    }
    return try work.takeResult().get()
  }

  /// Runs `body` on the caller's actor as soon as the queue is free; the actor does not stand still
  /// before.
  private func performOnActor<T, Failure: Error>(
    _ isolation: isolated (any Actor)?,
    _ body: () throws(Failure) -> T
  ) async -> Result<T, Failure> {
    while true {
      await withCheckedContinuation(isolation: isolation) {
        (continuation: CheckedContinuation<Void, Never>) in
        queue.async { continuation.resume() }
      }
      let result = queue.ifFree { inContext({ Result(catching: body) }, processing: true) }
      if let result { return result }
    }
  }

  func inContext<T>(_ block: () -> T, processing: Bool) -> T {
    let result = CurrentContext.$value.withValue(self, operation: block)
    if processing && isConnected { processPendingChanges() }
    return result
  }
}

/// What an awaited block needs and gives; empty when its caller has the result.
private final class AwaitedWork<T, Failure: Error>: @unchecked Sendable {
  // Unchecked: the caller writes it, then the queue, then the caller reads it.
  private var context: NSManagedObjectContext?
  private var body: (() throws(Failure) -> T)?
  private var result: Result<T, Failure>?

  init(_ context: NSManagedObjectContext, _ body: @escaping () throws(Failure) -> T) {
    self.context = context
    self.body = body
  }

  /// Runs the block in its context, and lets go of both.
  func run() {
    guard let context, let body else { return }
    self.context = nil
    self.body = nil
    result = context.inContext({ Result(catching: body) }, processing: true)
  }

  func takeResult() -> Result<T, Failure> {
    guard let result else { Misuse.workDidNotRun() }
    self.result = nil
    return result
  }
}

/// The context whose work the thread runs, for `NSFetchRequest.execute()`.
enum CurrentContext {
  @TaskLocal static var value: NSManagedObjectContext?
}
