// SPDX-License-Identifier: Apache-2.0

/// Carries a value across threads whose work follows one after the other.
struct Transfer<Value>: @unchecked Sendable {
  // Unchecked: the sender does not touch the value after sending it.
  let value: Value
  init(_ value: Value) { self.value = value }
}
