// SPDX-License-Identifier: Apache-2.0

/// What an import did.
package struct ImportReport: Sendable, Equatable {
  package var records = 0
  package var inserted = 0
  /// Objects that were there and are different now.
  package var updated = 0
  /// Objects that were there and said the same already.
  package var unchanged = 0
  package init() {}
}
