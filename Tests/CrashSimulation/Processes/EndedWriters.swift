// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The numbers of the writers whose process has ended, in order.
final class EndedWriters: @unchecked Sendable {
  // Unchecked: the lock guards the numbers.
  private let lock = NSLock()
  private let signal = DispatchSemaphore(value: 0)
  private var numbers: [Int] = []

  func add(_ number: Int) {
    lock.withLock { numbers.append(number) }
    signal.signal()
  }

  /// Waits for the next one; returns nil at the deadline.
  func next(until deadline: DispatchTime) -> Int? {
    guard signal.wait(timeout: deadline) == .success else { return nil }
    return lock.withLock { numbers.removeFirst() }
  }
}
