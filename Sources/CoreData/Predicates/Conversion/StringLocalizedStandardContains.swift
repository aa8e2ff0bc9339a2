// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

extension PredicateExpressions {
  /// Whether a string contains another one, ignoring case and diacritics.
  ///
  /// `#Predicate` uses it for `localizedStandardContains(_:)`:
  ///
  /// ```swift
  /// #Predicate<Author> { $0.name?.localizedStandardContains("emile") == true }
  /// ```
  /// In an `NSPredicate` it is `CONTAINS[cd]`. Foundation declares it on Apple's systems only.
  ///
  /// Source: `PredicateExpressions.StringLocalizedStandardContains` in Apple's documentation.
  public struct StringLocalizedStandardContains<
    Root: PredicateExpression,
    Other: PredicateExpression
  >: PredicateExpression
  where Root.Output: StringProtocol, Other.Output: StringProtocol {
    /// The value of the part.
    public typealias Output = Bool
    /// The string that is searched.
    public let root: Root
    /// The string that is looked for.
    public let other: Other

    /// Creates the part of a predicate.
    public init(root: Root, other: Other) {
      self.root = root
      self.other = other
    }

    /// Returns whether the value of `root` contains that of `other`.
    public func evaluate(_ bindings: PredicateBindings) throws -> Bool {
      try root.evaluate(bindings).localizedStandardContains(other.evaluate(bindings))
    }
  }

  /// Returns the part of a predicate that `#Predicate` makes of `localizedStandardContains(_:)`.
  public static func build_localizedStandardContains<Root, Other>(
    _ root: Root,
    _ other: Other
  ) -> StringLocalizedStandardContains<Root, Other> {
    StringLocalizedStandardContains(root: root, other: other)
  }
}

extension PredicateExpressions.StringLocalizedStandardContains: Sendable
where Root: Sendable, Other: Sendable {}

extension PredicateExpressions.StringLocalizedStandardContains: Codable
where Root: Codable, Other: Codable {}

extension PredicateExpressions.StringLocalizedStandardContains: StandardPredicateExpression
where Root: StandardPredicateExpression, Other: StandardPredicateExpression {}

extension PredicateExpressions.StringLocalizedStandardContains: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    // Foundation's method and CONTAINS agree on an empty string, which no string contains.
    .comparison(
      Comparison(
        try conversion.term(root),
        .contains,
        try conversion.term(other),
        options: [.caseInsensitive, .diacriticInsensitive]
      )
    )
  }
}
