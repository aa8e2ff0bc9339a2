// SPDX-License-Identifier: Apache-2.0

/// The type of the queue on which a context's work runs; raw values are Apple's.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  /// Thread confinement.
  ///
  /// In this library such a context works like one with a private queue.
  @available(*, deprecated, message: "Use another NSManagedObjectContextConcurrencyType")
  case confinementConcurrencyType = 0
  /// A private serial queue.
  case privateQueueConcurrencyType = 1
  /// The main queue.
  case mainQueueConcurrencyType = 2
}
