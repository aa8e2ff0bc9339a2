// SPDX-License-Identifier: Apache-2.0

/// The access level of the generated declarations.
package enum AccessLevel: String, Sendable, CaseIterable {
  case `public`
  case `internal`

  /// The modifier before a declaration; empty for internal access, which is Swift's default.
  var prefix: String { self == .public ? "public " : "" }
}
