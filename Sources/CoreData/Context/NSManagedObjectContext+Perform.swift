// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSManagedObjectContext {
  /// The time at which `perform(schedule:_:)` starts its block.
  public enum ScheduledTaskType: Sendable {
    /// At once if the caller is already on the context's queue, otherwise when the queue is free.
    case immediate
    /// After all work that is already waiting.
    case enqueued
  }

  /// The queue type of a context.
  public struct ConcurrencyType: Hashable, RawRepresentable, Sendable {
    /// 1 for a private queue, 2 for the main queue, as in `NSManagedObjectContextConcurrencyType`.
    public let rawValue: Int
    /// Creates a type with any raw value; every value except 2 works as a private queue.
    public init(rawValue: Int) { self.rawValue = rawValue }
    /// A private serial queue.
    public static let privateQueue = ConcurrencyType(rawValue: 1)
    /// The main queue.
    public static let mainQueue = ConcurrencyType(rawValue: 2)
  }

  /// Schedules `block` on the context's queue, and returns at once.
  ///
  /// Pending changes are processed after the block has run. The block and what it captures are released on
  /// the queue.
  public func perform(_ block: @escaping @Sendable () -> Void) {
    queue.async { self.inContext(block, processing: true) }
  }

  /// Runs `block` on the context's queue and waits for it; runs it at once if the caller is already on
  /// the queue.
  ///
  /// With a private queue, the block runs on the calling thread. As in Apple's framework, pending changes are
  /// not processed afterwards.
  public func performAndWait(_ block: () -> Void) {
    queue.sync { CurrentContext.$value.withValue(self, operation: block) }
  }

  /// Runs `block` on the context's queue, waits for it and returns its result; runs it at once if the
  /// caller is already on the queue.
  ///
  /// With a private queue, the block runs on the calling thread. As in Apple's framework, pending changes are
  /// not processed afterwards.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    try queue.sync { try CurrentContext.$value.withValue(self, operation: block) }
  }

  /// Runs `block` on the context's queue, processes pending changes, and returns the block's result or throws
  /// its error.
  ///
  /// If `schedule` is `.immediate` and the caller is already on the context's queue, as the main actor is
  /// on the queue of a main-queue context, the block runs at once, without suspending.
  ///
  /// If the context has a private queue, a block isolated to the caller's actor runs on that actor while the
  /// actor has exclusive access to the queue. In main-actor code, a block without `@Sendable` is isolated to
  /// the main actor; write `{ @Sendable in … }` to keep the work off the main actor.
  ///
  /// When this method returns, the context no longer retains the block or what it captured. Leave
  /// `isolation`, which is the caller's actor, at its default.
  public func perform<T, Failure: Error>(
    schedule: ScheduledTaskType = .immediate,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @isolated(any) () throws(Failure) -> T
  ) async throws(Failure) -> T {
    try await run(schedule, isolation, owner: block.isolation, Self.unisolated(block))
  }

  /// Returns the block as a nonisolated function.
  ///
  /// The function is called only on the block's actor or on the queue of the context to which the program
  /// passed the block.
  private static func unisolated<T, Failure: Error>(
    _ block: @escaping @isolated(any) () throws(Failure) -> T
  ) -> () throws(Failure) -> T {
    // Both function types have the same representation, because a closure's actor is part of its captured
    // context.
    unsafeBitCast(block, to: (() throws(Failure) -> T).self)
  }

  /// Implements `perform(schedule:_:)` for a block that is isolated to the actor `owner`, or to no actor if
  /// `owner` is nil.
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
    return try work.consumeResult().get()
  }

  /// Runs `body` on the caller's actor as soon as the queue is free; the actor is not blocked while
  /// waiting.
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

/// The block of a `perform` call that waits for its queue.
///
/// Holds the block and the context until the block runs, and then the block's result until the caller removes
/// it, so that nothing is retained after the call.
private final class AwaitedWork<T, Failure: Error>: @unchecked Sendable {
  // Unchecked: the state is accessed in sequence by the caller, the queue, and the caller again.
  private var context: NSManagedObjectContext?
  private var body: (() throws(Failure) -> T)?
  private var result: Result<T, Failure>?

  init(_ context: NSManagedObjectContext, _ body: @escaping () throws(Failure) -> T) {
    self.context = context
    self.body = body
  }

  func run() {
    guard let context, let body else { return }
    self.context = nil
    self.body = nil
    result = context.inContext({ Result(catching: body) }, processing: true)
  }

  func consumeResult() -> Result<T, Failure> {
    guard let result else { Misuse.workDidNotRun(context?.queue.ownerDescription ?? "a context") }
    self.result = nil
    return result
  }
}

/// The context whose block the current task or thread is running, for `NSFetchRequest.execute()`.
enum CurrentContext {
  @TaskLocal static var value: NSManagedObjectContext?
}
