// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Deprecated methods; call `performAndWait(_:)` or `perform(_:)` instead.
///
/// Source: documented, “NSPersistentStoreCoordinator”.
extension NSPersistentStoreCoordinator {
  /// Waits until the coordinator's queue is free, and makes the calling thread its owner until `unlock()`.
  ///
  /// Calls can be nested. Stores are added on this queue; fetches and saves do not use it.
  @available(*, deprecated, message: "Use -performBlockAndWait: instead")
  public func lock() { queue.lock() }

  /// Balances a call of `lock()`, or of a `tryLock()` that returned true, on the same thread; stops the
  /// program if there is no such call.
  @available(*, deprecated, message: "Use -performBlockAndWait: instead")
  public func unlock() { queue.unlock() }

  /// Makes the calling thread the owner of the coordinator's queue, as `lock()` does, but without waiting;
  /// returns false if the queue is not free.
  @available(*, deprecated, message: "Use -performBlock: instead")
  public func tryLock() -> Bool { queue.tryLock() }
}
