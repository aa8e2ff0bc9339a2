// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Counts steps of work on one thread in debug builds, so that tests can say how work grows with the
/// number of objects without a clock.
///
/// Steps are reads of keys and of objects' flags, comparisons of keys and objects, and what code adds by
/// itself. Any walk over keys or objects takes them. Release builds have no counter: `add(_:)` is empty
/// there.
package enum WorkCounter {
  #if DEBUG
  /// Whether this build counts.
  package static let isCounting = true

  /// The thread whose steps are counted; 0 for none.
  private static let thread = Atomic<UInt>(0)
  private static let steps = Atomic<Int>(0)
  /// One count at a time.
  private static let counting = NSLock()

  private static var current: UInt {
    #if canImport(Darwin)
    UInt(bitPattern: pthread_self())
    #else
    UInt(pthread_self())
    #endif
  }

  /// Counts steps, where the calling thread is the one that is counted.
  @usableFromInline
  package static func add(_ count: Int = 1) {
    let counted = thread.load(ordering: .relaxed)
    if counted == 0 || counted != current { return }
    steps.add(count, ordering: .relaxed)
  }

  /// Returns the steps that `body` takes on the calling thread; nil in release builds.
  ///
  /// Waits while another thread counts. Not for use in `body` of another count.
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
  /// Whether this build counts.
  package static let isCounting = false

  /// Does nothing.
  @inlinable
  @inline(__always)
  package static func add(_ count: Int = 1) {}

  /// Runs `body` and returns nil: release builds do not count.
  package static func count(_ body: () throws -> Void) rethrows -> Int? {
    try body()
    return nil
  }
  #endif
}
