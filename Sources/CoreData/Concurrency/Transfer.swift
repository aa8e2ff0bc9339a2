// SPDX-License-Identifier: Apache-2.0

/// Carries a value from one thread to another; the threads must not use the value at the same time.
struct Transfer<Value>: @unchecked Sendable {
  // Unchecked: the sender does not touch the value after sending it.
  let value: Value
  init(_ value: Value) { self.value = value }
}
