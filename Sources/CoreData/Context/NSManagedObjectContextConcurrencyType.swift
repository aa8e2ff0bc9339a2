// SPDX-License-Identifier: Apache-2.0

/// Which queue a context's work runs on; raw values are Apple's.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// Confined to the thread that made it: works as a private queue, which any thread may use.
  @available(*, deprecated, message: "Use another NSManagedObjectContextConcurrencyType")
  case confinementConcurrencyType = 0
  /// A serial queue of the context's own.
  case privateQueueConcurrencyType = 1
  /// The main queue.
  case mainQueueConcurrencyType = 2
}
