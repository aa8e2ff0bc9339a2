// SPDX-License-Identifier: Apache-2.0

/// The limit on the height of the trees of conditions and terms.
///
/// Trees are evaluated, printed, compared, archived, compiled and freed recursively, so their height
/// determines how much stack they need. A tree that a program creates in code and that exceeds the limit is
/// replaced by an unusable term or comparison. Format strings and archives, which can be untrusted, have
/// lower limits. Source: this library's choice.
package enum TreeLimit {
  /// The maximum height of a tree; a leaf has the height 0.
  package static let tallest = 1_000
  /// The error text of the unusable term or comparison that replaces a tree that is too tall.
  package static let reason =
    "the predicate or expression is nested more than \(tallest) levels deep; reduce the nesting, for "
    + "example with one AND or OR of all members"
}

extension Term {
  /// The number of levels below the term; 0 for a leaf.
  ///
  /// - Complexity: O(size of the tree).
  package var height: Int { TreeNode.term(self).height }

  /// The term, or an unusable term with `TreeLimit.reason` if the term is too tall.
  ///
  /// - Complexity: O(size of the tree).
  package var limited: Term { height > TreeLimit.tallest ? .unusable(TreeLimit.reason) : self }
}

extension Condition {
  /// The number of levels below the condition; 0 for a leaf.
  ///
  /// - Complexity: O(size of the tree).
  package var height: Int { TreeNode.condition(self).height }

  /// The condition, or an unusable comparison with `TreeLimit.reason` if the condition is too tall.
  ///
  /// - Complexity: O(size of the tree).
  package var limited: Condition {
    height > TreeLimit.tallest ? .comparison(.unusable(TreeLimit.reason)) : self
  }
}

extension Comparison {
  /// The number of levels below the comparison; 1 if both operands are leaves.
  package var height: Int { max(left.height, right.height) + 1 }

  /// The comparison, or an unusable comparison with `TreeLimit.reason` if this comparison is too tall.
  package var limited: Comparison {
    height > TreeLimit.tallest ? .unusable(TreeLimit.reason) : self
  }

  /// Returns a comparison whose evaluation throws an error with `reason`.
  package static func unusable(_ reason: String) -> Comparison {
    Comparison(.unusable(reason), .equal, .constant(Constant(.bool(true))))
  }
}
