// SPDX-License-Identifier: Apache-2.0

/// Which queue a context's work runs on; raw values are Apple's.
public enum NSManagedObjectContextConcurrencyType: UInt, Sendable {
  case privateQueueConcurrencyType = 1
  case mainQueueConcurrencyType = 2
}
