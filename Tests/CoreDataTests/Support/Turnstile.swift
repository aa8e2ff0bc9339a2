// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Threads wait here for each other, and events are noted in their order.
final class Turnstile: @unchecked Sendable {
  // Unchecked: the condition guards what changes.
  private let condition = NSCondition()
  private var arrived = 0
  private var noted: [String] = []

  /// Returns once so many threads have arrived, or after a minute.
  ///
  /// - Returns: false where they did not arrive.
  @discardableResult
  func meet(_ count: Int) -> Bool {
    let deadline = Date(timeIntervalSinceNow: 60)
    condition.lock()
    defer { condition.unlock() }
    arrived += 1
    condition.broadcast()
    while arrived < count {
      if !condition.wait(until: deadline) { return false }
    }
    return true
  }

  func note(_ event: String) {
    condition.lock()
    noted.append(event)
    condition.unlock()
  }

  var events: [String] {
    condition.lock()
    defer { condition.unlock() }
    return noted
  }
}

/// Starts a thread of its own, which no queue can lend to others.
func onThread(_ name: String = "test", _ body: @escaping @Sendable () -> Void) {
  let thread = Thread { body() }
  thread.name = name
  thread.start()
}
