// SPDX-License-Identifier: Apache-2.0

/// How tall the trees of conditions and terms may be.
///
/// Trees are evaluated, printed, compared, archived, compiled and freed by recursion, so their height is
/// what they need of the stack. What a program makes in code is cut at this height; formats and archives
/// have smaller limits of their own, because strangers may have written them. Source: chosen.
package enum TreeLimit {
  /// The most levels of a tree, a leaf counting as none.
  package static let tallest = 1_000
  /// What a term says that was cut off.
  package static let reason =
    "the predicate or expression is nested more than \(tallest) levels deep; make a flatter one, such as "
    + "one AND or OR of all members"
}

extension Term {
  /// The levels below the term; 0 for a leaf.
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

  /// The term, or one that gives the reason in its place where it is taller than trees may be.
  ///
  /// - Complexity: O(size of the tree).
  package var limited: Term { height > TreeLimit.tallest ? .unusable(TreeLimit.reason) : self }
}

extension Condition {
  /// The levels below the condition; 0 for a leaf.
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

  /// The condition, or one that gives the reason in its place where it is taller than trees may be.
  ///
  /// - Complexity: O(size of the tree).
  package var limited: Condition {
    height > TreeLimit.tallest ? .comparison(.unusable(TreeLimit.reason)) : self
  }
}

extension Comparison {
  /// The levels below the comparison.
  package var height: Int { max(left.height, right.height) + 1 }

  /// The comparison, or one that gives the reason in its place where it is taller than trees may be.
  package var limited: Comparison {
    height > TreeLimit.tallest ? .unusable(TreeLimit.reason) : self
  }

  /// A comparison that nothing can evaluate, which gives the reason.
  package static func unusable(_ reason: String) -> Comparison {
    Comparison(.unusable(reason), .equal, .constant(Constant(.bool(true))))
  }
}
