// SPDX-License-Identifier: Apache-2.0

/// Tells when a store is written to behind its back, until it is cancelled.
package protocol StoreWatch: Sendable {
  /// Nothing is told any more; twice is as good as once.
  func cancel()
}
