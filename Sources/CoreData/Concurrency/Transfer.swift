// SPDX-License-Identifier: Apache-2.0

/// Carries a value from one thread to another; the threads must not use the value at the same time.
struct Transfer<Value>: @unchecked Sendable {
  // Unchecked: the code that transfers the value ensures that only one thread at a time uses it.
  let value: Value
  init(_ value: Value) { self.value = value }
}
