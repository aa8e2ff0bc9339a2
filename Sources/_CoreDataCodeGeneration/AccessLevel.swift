// SPDX-License-Identifier: Apache-2.0

/// Who sees the generated declarations.
package enum AccessLevel: String, Sendable, CaseIterable {
  case `public`
  case `internal`

  /// What stands before a declaration; internal is Swift's default and is left out.
  var prefix: String { self == .public ? "public " : "" }
}
