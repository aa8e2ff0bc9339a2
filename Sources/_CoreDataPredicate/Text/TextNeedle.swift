// SPDX-License-Identifier: Apache-2.0

/// The right side of a text comparison, folded or compiled once and asked for many left sides.
///
/// `x CONTAINS[cd] "ab"` is `TextNeedle("ab", relation: .contains, options: [...]).matches(x)`.
/// For `.in` the needle is the text that is searched and the haystack is what must occur in it.
package struct TextNeedle: Sendable {
  private let plan: NeedlePlan
  /// The text itself where it is no valid regular expression; such a needle matches nothing.
  package var invalidPattern: String? { plan.isInvalid ? plan.text : nil }

  /// A needle for the text on the right of `relation`.
  ///
  /// `[l]` compares as the current locale does; `LIKE` and `MATCHES` know no locale. `BETWEEN` and
  /// custom selectors match nothing.
  package init(_ text: String, relation: Relation, options: TextOptions) {
    plan = NeedlePlan(text, relation, options)
  }

  /// Whether the UTF-8 text stands in the relation to the needle.
  ///
  /// - Throws: `EvaluationError` for a regular expression that needs too many steps for the text.
  /// - Complexity: O(haystack) for ASCII, without an allocation.
  package func matches(_ haystack: UnsafeBufferPointer<UInt8>) throws -> Bool {
    try plan.matches(haystack)
  }

  /// Whether the text stands in the relation to the needle.
  ///
  /// - Throws: As `matches` of bytes.
  package func matches(_ haystack: String) throws -> Bool { try plan.matches(haystack) }
}
