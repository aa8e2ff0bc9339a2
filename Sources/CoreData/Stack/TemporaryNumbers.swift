// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// Assigns each temporary key a number that is unique in the process.
enum TemporaryNumbers {
  private static let last = Atomic<Int64>(0)
  static func next() -> Int64 { last.add(1, ordering: .relaxed).newValue }
}
