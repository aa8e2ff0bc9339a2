// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Deprecated methods; use `performAndWait(_:)` and `perform(_:)` instead.
///
/// Source: documented, “NSManagedObjectContext”.
extension NSManagedObjectContext {
  /// Waits until the context's queue is free, and makes the calling thread its owner until `unlock()`.
  ///
  /// Calls can be nested. Stops the program if a background thread locks a main-queue context.
  @available(*, deprecated, message: "Use a queue style context and -performBlockAndWait: instead")
  public func lock() { queue.lock() }

  /// Balances a call of `lock()`, or of a `tryLock()` that returned true, on the same thread; stops the
  /// program if there is no such call.
  @available(*, deprecated, message: "Use a queue style context and -performBlockAndWait: instead")
  public func unlock() { queue.unlock() }

  /// Does the same as `lock()`, but never waits; returns false if another thread uses the queue.
  @available(*, deprecated, message: "Use a queue style context and -performBlock: instead")
  public func tryLock() -> Bool { queue.tryLock() }
}
