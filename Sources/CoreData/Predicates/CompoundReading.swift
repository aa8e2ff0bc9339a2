// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// Reads what a compound of Foundation's class says, however deep its members nest.
///
/// Up to the height that trees may have, the condition has the compound's shape. Above it, a NOT of a NOT
/// is dropped, and the members of an AND in an AND, or of an OR in an OR, become members of the outer one,
/// which says the same. What is too tall even then is a condition that gives the reason when it is used.
enum CompoundReading {
  /// - Complexity: O(size of the tree).
  static func condition(of compound: NSCompoundPredicate) -> Condition {
    shaped(compound, room: TreeLimit.tallest) ?? folded(compound, room: TreeLimit.tallest).limited
  }

  /// The condition in the compound's shape; nil where it is taller than `room`.
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

  /// The flattest condition that says the same.
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

  /// The members of an AND or OR, and those of its members of the same type, in their order.
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

  /// The predicate as a compound that Foundation reads; nil for every other.
  private static func plain(_ predicate: NSPredicate) -> NSCompoundPredicate? {
    guard type(of: predicate) == NSCompoundPredicate.self else { return nil }
    return predicate as? NSCompoundPredicate
  }
}
