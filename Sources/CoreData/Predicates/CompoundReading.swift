// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// Converts compound predicates of Foundation's class to conditions, however deeply they are nested.
///
/// Up to the maximum tree height, the condition has the structure of the compound. If the compound is taller,
/// equivalent steps reduce its height: a NOT of a NOT is removed, and the members of an AND inside an AND, or
/// of an OR inside an OR, are moved to the outer compound. If the result is still too tall, the condition
/// reports the reason when it is used.
enum CompoundReading {
  /// Returns the condition of a compound predicate.
  ///
  /// - Complexity: O(size of the tree).
  static func condition(of compound: NSCompoundPredicate) -> Condition {
    shaped(compound, room: TreeLimit.tallest) ?? folded(compound, room: TreeLimit.tallest).limited
  }

  /// Returns the condition in the compound's structure; nil if the compound is taller than `room`.
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

  /// Returns an equivalent condition without a NOT of a NOT, an AND inside an AND, or an OR inside an OR.
  ///
  /// Parts that are nested more than `room` levels deep become unusable.
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

  /// Returns the members of an AND or OR, including those of nested members of the same type, in order.
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

  /// Returns the predicate as a compound of Foundation's class; nil for any other predicate.
  private static func plain(_ predicate: NSPredicate) -> NSCompoundPredicate? {
    guard type(of: predicate) == NSCompoundPredicate.self else { return nil }
    return predicate as? NSCompoundPredicate
  }
}
