// SPDX-License-Identifier: Apache-2.0

/// The right side of a text comparison, which is folded or compiled once and compared with many left sides.
///
/// `x CONTAINS[cd] "ab"` is `TextNeedle("ab", relation: .contains, options: [...]).matches(x)`.
/// For `.in` the needle is the text that is searched, and the haystack is the text that must occur in it.
package struct TextNeedle: Sendable {
  private let plan: NeedlePlan
  /// The text of a needle that is not a valid regular expression, and therefore matches nothing.
  ///
  /// Nil for a valid needle.
  package var invalidPattern: String? { plan.isInvalid ? plan.text : nil }

  /// Creates a needle from the text on the right side of `relation`.
  ///
  /// `[l]` compares by the current locale; `LIKE` and `MATCHES` ignore `[l]`. `BETWEEN` and custom selectors
  /// match nothing.
  package init(_ text: String, relation: Relation, options: TextOptions) {
    plan = NeedlePlan(text, relation, options)
  }

  /// Whether the relation holds between the UTF-8 text and the needle.
  ///
  /// - Throws: `EvaluationError` if a regular expression needs too many steps or too much memory for the
  ///   text.
  package func matches(_ haystack: UnsafeBufferPointer<UInt8>) throws -> Bool {
    try plan.matches(haystack)
  }

  /// Whether the relation holds between the text and the needle.
  ///
  /// - Throws: `EvaluationError` if a regular expression needs too many steps or too much memory for the
  ///   text.
  package func matches(_ haystack: String) throws -> Bool { try plan.matches(haystack) }
}
