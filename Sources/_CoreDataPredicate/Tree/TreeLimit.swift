// SPDX-License-Identifier: Apache-2.0

/// The limit on the height of the trees of conditions and terms.
///
/// Trees are evaluated, printed, compared, archived, compiled and freed recursively, so their height
/// determines how much stack they need. A tree that a program creates in code and that exceeds the limit is
/// replaced by an unusable term. Format strings and archives, which can be untrusted, have lower limits.
/// Source: chosen.
package enum TreeLimit {
  /// The maximum number of levels of a tree; a leaf has 0 levels.
  package static let tallest = 1_000
  /// The reason of the unusable term that replaces a tree that is too tall.
  package static let reason =
    "the predicate or expression is nested more than \(tallest) levels deep; use a flatter one, such as "
    + "one AND or OR of all members"
}

extension Term {
  /// The number of levels below the term; 0 for a leaf.
  ///
  /// - Complexity: O(size of the tree).
  package var height: Int {
    switch self {
    case .constant, .evaluatedObject, .keyPath, .variable, .anyKey, .symbolicIndex, .opaque,
      .unusable:
      0
    case .keyPathOf(let base, _): base.height + 1
    case .assignment(_, let term): term.height + 1
    case .function(_, let arguments): Self.tallest(arguments) + 1
    case .message(_, let receiver, let arguments):
      max(Self.tallest(arguments), receiver.height) + 1
    case .aggregate(let members): Self.tallest(members) + 1
    case .subquery(let collection, _, let condition): max(collection.height, condition.height) + 1
    case .setOperation(_, let left, let right), .fetch(let left, context: let right, _):
      max(left.height, right.height) + 1
    case .ternary(let condition, let yes, let no):
      max(condition.height, yes.height, no.height) + 1
    }
  }

  private static func tallest(_ terms: [Term]) -> Int {
    terms.reduce(0) { max($0, $1.height) }
  }

  /// The term; an unusable term with the reason if the term is too tall.
  ///
  /// - Complexity: O(size of the tree).
  package var limited: Term { height > TreeLimit.tallest ? .unusable(TreeLimit.reason) : self }
}

extension Condition {
  /// The number of levels below the condition; 0 for a leaf.
  ///
  /// - Complexity: O(size of the tree).
  package var height: Int {
    switch self {
    case .constant, .opaque: 0
    case .comparison(let comparison): comparison.height
    case .not(let member): member.height + 1
    case .and(let members), .or(let members): members.reduce(0) { max($0, $1.height) } + 1
    }
  }

  /// The condition; an unusable comparison with the reason if the condition is too tall.
  ///
  /// - Complexity: O(size of the tree).
  package var limited: Condition {
    height > TreeLimit.tallest ? .comparison(.unusable(TreeLimit.reason)) : self
  }
}

extension Comparison {
  /// The number of levels below the comparison.
  package var height: Int { max(left.height, right.height) + 1 }

  /// The comparison; an unusable comparison with the reason if it is too tall.
  package var limited: Comparison {
    height > TreeLimit.tallest ? .unusable(TreeLimit.reason) : self
  }

  /// Returns a comparison whose evaluation throws an error with the reason.
  package static func unusable(_ reason: String) -> Comparison {
    Comparison(.unusable(reason), .equal, .constant(Constant(.bool(true))))
  }
}
