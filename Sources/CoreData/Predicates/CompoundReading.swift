// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// Converts instances of Foundation's `NSCompoundPredicate` to conditions.
///
/// If the height of the predicate is at most `TreeLimit.tallest`, the condition has the same structure. A
/// taller predicate is first flattened: double negations are removed, and an AND directly inside an AND, or
/// an OR directly inside an OR, is merged into the outer one. A part that is still nested too deeply becomes
/// an unusable comparison.
enum CompoundReading {
  static func condition(of compound: NSCompoundPredicate) -> Condition {
    shaped(compound, room: TreeLimit.tallest) ?? folded(compound, room: TreeLimit.tallest).limited
  }

  /// Returns a condition with the structure of the predicate; nil if that condition is taller than `room`.
  private static func shaped(_ predicate: NSPredicate, room: Int) -> Condition? {
    guard let compound = plain(predicate) else {
      let condition = predicate.condition
      return condition.height > room ? nil : condition
    }
    if room == 0 { return nil }
    var members: [Condition] = []
    for member in compound.subpredicates {
      guard let condition = shaped(member, room: room - 1) else { return nil }
      members.append(condition)
    }
    return Condition(compound.compoundPredicateType, members)
  }

  /// Returns an equivalent condition without double negations, in which an AND directly inside an AND, or an
  /// OR directly inside an OR, is merged into the outer one.
  ///
  /// Each AND or OR uses two levels of `room`, because its members can be negated. A part for which no room
  /// is left becomes an unusable comparison.
  private static func folded(_ predicate: NSPredicate, room: Int) -> Condition {
    var predicate = predicate
    var isNegated = false
    while let compound = plain(predicate), compound.compoundPredicateType == .not,
      let member = compound.subpredicates.first
    {
      isNegated.toggle()
      predicate = member
    }
    let condition: Condition
    if room <= 0 {
      condition = .comparison(.unusable(TreeLimit.reason))
    } else if let compound = plain(predicate) {
      let members = flattened(compound).map { folded($0, room: room - 2) }
      condition = Condition(compound.compoundPredicateType, members)
    } else {
      condition = predicate.condition
    }
    return isNegated ? .not(condition) : condition
  }

  /// Returns the members of an AND or OR, in order, with members of the same type replaced by their own
  /// members.
  private static func flattened(_ compound: NSCompoundPredicate) -> [NSPredicate] {
    var members: [NSPredicate] = []
    var waiting: [NSPredicate] = compound.subpredicates.reversed()
    while let next = waiting.popLast() {
      if let inner = plain(next), inner.compoundPredicateType == compound.compoundPredicateType {
        waiting.append(contentsOf: inner.subpredicates.reversed())
      } else {
        members.append(next)
      }
    }
    return members
  }

  private static func plain(_ predicate: NSPredicate) -> NSCompoundPredicate? {
    guard type(of: predicate) == NSCompoundPredicate.self else { return nil }
    return predicate as? NSCompoundPredicate
  }
}
