// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Counts steps of work on one thread in debug builds, so that tests can check without a clock how work
/// grows with the number of objects.
///
/// A step is a read of a key or of an object's flags, a comparison of keys or objects, or other work that
/// calls `add(_:)`. In release builds `add(_:)` does nothing.
package enum WorkCounter {
  #if DEBUG
  /// Whether this build counts steps.
  package static let isCounting = true

  /// The thread whose steps are counted; 0 while no steps are counted.
  private static let thread = Atomic<UInt>(0)
  private static let steps = Atomic<Int>(0)
  /// Held while a thread counts, because there is only one counter.
  private static let counting = NSLock()

  private static var current: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }

  /// Adds `count` steps if the steps of the calling thread are being counted.
  @usableFromInline
  package static func add(_ count: Int = 1) {
    let counted = thread.load(ordering: .relaxed)
    if counted == 0 || counted != current { return }
    steps.add(count, ordering: .relaxed)
  }

  /// Returns the number of steps that `body` takes on the calling thread; nil in release builds.
  ///
  /// Waits while another thread counts. Calling this method in the `body` of another call deadlocks.
  package static func count(_ body: () throws -> Void) rethrows -> Int? {
    counting.lock()
    defer { counting.unlock() }
    steps.store(0, ordering: .relaxed)
    thread.store(current, ordering: .relaxed)
    defer { thread.store(0, ordering: .relaxed) }
    try body()
    return steps.load(ordering: .relaxed)
  }
  #else
  /// Whether this build counts steps.
  package static let isCounting = false

  /// Does nothing, because release builds do not count steps.
  @inlinable
  @inline(__always)
  package static func add(_ count: Int = 1) {}

  /// Runs `body` and returns nil, because release builds do not count steps.
  package static func count(_ body: () throws -> Void) rethrows -> Int? {
    try body()
    return nil
  }
  #endif
}
