// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The names that Apple's archives have for the classes of predicates.
///
/// Foundation finds classes by these names once `register` ran, which Core Data's own objects see to
/// when they are made; a program that reads an archive first calls `NSPredicate.registerArchivedClasses`.
enum ArchiveNames {
  private static let expressions: [NamedExpression.Type] = [
    ArchivedConstant.self, ArchivedSelf.self, ArchivedVariable.self, ArchivedKeyPath.self,
    ArchivedSpecifier.self, ArchivedFunction.self, ArchivedAggregate.self, ArchivedAssignment.self,
    ArchivedAnyKey.self, ArchivedSubquery.self, ArchivedSetExpression.self, ArchivedTernary.self,
    ArchivedSymbol.self,
  ]

  private static let classes: [String: AnyClass] = {
    var classes: [String: AnyClass] = [
      "NSComparisonPredicate": NSComparisonPredicate.self,
      "NSCompoundPredicate": ParsedCompoundPredicate.self,
      "NSTruePredicate": ArchivedTrue.self,
      "NSFalsePredicate": ArchivedFalse.self,
      "NSEqualityPredicateOperator": ArchivedEquality.self,
      "NSComparisonPredicateOperator": ArchivedOrder.self,
      "NSInPredicateOperator": ArchivedMembership.self,
      "NSSubstringPredicateOperator": ArchivedSubstring.self,
      "NSLikePredicateOperator": ArchivedLike.self,
      "NSMatchingPredicateOperator": ArchivedMatch.self,
      "NSBetweenPredicateOperator": ArchivedBetween.self,
      "NSCustomPredicateOperator": ArchivedMessage.self,
      "NSFetchRequestExpression": NSFetchRequestExpression.self,
      "NSSortDescriptor": KeyedSortDescriptor.self,
    ]
    for expression in expressions { classes[expression.name] = expression }
    return classes
  }()

  private static let registration: Void = {
    for (name, member): (String, AnyClass) in classes {
      // NSKeyedArchiver's map from classes to names has no effect on Linux.
      NSKeyedUnarchiver.setClass(member, forClassName: name)
    }
  }()

  /// Makes the names known to Foundation; calls after the first do nothing.
  static func register() { registration }

  /// The class that stands for a name.
  static func `class`(_ name: String) -> AnyClass? {
    register()
    return classes[name]
  }

  /// The name that archives have for a class, nil for classes that they do not name.
  static func name(of member: AnyClass) -> String? {
    classes.first { $0.value == member }?.key
  }
}
