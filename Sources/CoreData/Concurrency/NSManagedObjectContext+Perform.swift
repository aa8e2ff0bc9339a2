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
  public func perform(_ block: @escaping @Sendable () -> Void) {
    queue.async { self.inContext(block, processing: true) }
  }

  /// Runs `block` on the context's queue and waits for it; at once where the caller is on the queue.
  ///
  /// Runs on the calling thread. Pending changes are not processed after it, as in Apple's framework.
  public func performAndWait<T>(_ block: () throws -> T) rethrows -> T {
    try queue.sync { try CurrentContext.$value.withValue(self, operation: block) }
  }

  /// Runs `block` on the context's queue and gives its result; then processes pending changes.
  ///
  /// At once, without suspending, where `schedule` is `.immediate` and the caller runs on the context's
  /// queue already, as the main actor does on that of a main-queue context. `isolation` is the
  /// caller's actor: leave it alone.
  public func perform<T, Failure: Error>(
    schedule: ScheduledTaskType = .immediate,
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping () throws(Failure) -> T
  ) async throws(Failure) -> T {
    if schedule == .immediate && queue.isCurrent {
      return try inContext({ Result(catching: block) }, processing: true).get()
    }
    // The block and its result cross to the context's queue and back, one after the other.
    let work = Transfer(block)
    let result = await withCheckedContinuation(isolation: isolation) {
      (continuation: CheckedContinuation<Transfer<Result<T, Failure>>, Never>) in
      queue.async {
        let result = self.inContext(
          { Result { () throws(Failure) -> T in try work.value() } },
          processing: true
        )
        continuation.resume(returning: Transfer(result))
      }
    }
    return try result.value.get()
  }

  func inContext<T>(_ block: () -> T, processing: Bool) -> T {
    let result = CurrentContext.$value.withValue(self, operation: block)
    if processing && isConnected { processPendingChanges() }
    return result
  }
}

/// Carries a value across threads whose work follows one after the other.
struct Transfer<Value>: @unchecked Sendable {
  // Unchecked: the sender does not touch the value after sending it.
  let value: Value
  init(_ value: Value) { self.value = value }
}
