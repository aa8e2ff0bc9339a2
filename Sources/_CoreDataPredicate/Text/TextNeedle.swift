// SPDX-License-Identifier: Apache-2.0

/// The right side of a text comparison, which is folded or compiled once and compared with many left sides.
///
/// `x CONTAINS[cd] "ab"` is `TextNeedle("ab", relation: .contains, options: [...]).matches(x)`.
/// For `.in` the roles are exchanged: the needle is searched, and the haystack must occur in the needle.
package struct TextNeedle: Sendable {
  private let plan: NeedlePlan
  /// The regular expression of a `MATCHES` needle, if it is invalid; otherwise nil.
  ///
  /// A needle with an invalid regular expression matches nothing.
  package var invalidPattern: String? { plan.isInvalid ? plan.text : nil }

  /// Creates a needle from the text on the right side of `relation`.
  ///
  /// With `[l]`, texts are compared by the rules of the current locale; `LIKE` and `MATCHES` ignore `[l]`. A
  /// needle for `BETWEEN` or a custom selector matches nothing.
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
