// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

extension Condition {
  /// The same condition, written so that the evaluator has no short cut for a key compared with a constant, or
  /// for a row of such comparisons: each key is a branch of a TERNARY.
  ///
  /// A law compares the two: the short cuts and the general evaluation must agree.
  package var generalForm: Condition {
    switch self {
    case .constant, .opaque: return self
    case .and(let members): return .and(members.map(\.generalForm))
    case .or(let members): return .or(members.map(\.generalForm))
    case .not(let member): return .not(member.generalForm)
    case .comparison(var comparison):
      // ANY and ALL read a key path otherwise than a term that gives the same collection.
      guard comparison.modifier == .direct, case .keyPath = comparison.left else { return self }
      comparison.left = .ternary(.constant(true), comparison.left, comparison.left)
      return .comparison(comparison)
    }
  }
}
