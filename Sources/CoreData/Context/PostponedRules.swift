// SPDX-License-Identifier: Apache-2.0

/// Rules of relationships that a context leaves to whoever writes into it.
package struct PostponedRules: OptionSet, Sendable {
  package let rawValue: UInt8
  package init(rawValue: UInt8) { self.rawValue = rawValue }
  /// That a mandatory to-one leads somewhere.
  package static let toOnes = PostponedRules(rawValue: 1)
  /// That a to-many has as many members as it may and must have.
  package static let toManys = PostponedRules(rawValue: 2)
}
