// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension NSPredicate {
  /// What the predicate says; block predicates and subclasses of others become opaque.
  ///
  /// The same predicate always gives an equal condition.
  package var condition: Condition {
    switch self {
    case let known as any ConditionCarrier: return known.core.condition
    case let compound as NSCompoundPredicate where type(of: compound) == NSCompoundPredicate.self:
      return CompoundReading.condition(of: compound)
    default:
      if let flag = constant { return .constant(flag) }
      // The closure is called where the predicate is evaluated, on the caller's thread.
      nonisolated(unsafe) let predicate = self
      return .opaque(
        OpaqueCondition(owner: self) { object, variables in
          predicate.evaluate(
            with: object.any,
            substitutionVariables: variables.mapValues { $0.any ?? NSNull() }
          )
        }
      )
    }
  }

  /// The answer of `NSPredicate(value:)`, which Foundation keeps to itself; nil for any other.
  private var constant: Bool? {
    guard type(of: self) == NSPredicate.self else { return nil }
    for child in Mirror(reflecting: self).children where child.label == "kind" {
      for inner in Mirror(reflecting: child.value).children where inner.label == "boolean" {
        return inner.value as? Bool
      }
    }
    return nil
  }

  /// The condition made ready for many objects.
  var preparedCondition: PreparedCondition {
    (self as? any ConditionCarrier)?.core.prepared ?? PreparedCondition(condition)
  }

  /// The predicate of the class that Apple's parser gives for a condition.
  package static func make(
    _ condition: Condition,
    isEvaluationAllowed: Bool = true
  ) -> NSPredicate {
    var core: PredicateCore {
      PredicateCore(condition, isEvaluationAllowed: isEvaluationAllowed)
    }
    return switch condition {
    case .comparison(let comparison):
      NSComparisonPredicate(comparison, isEvaluationAllowed: isEvaluationAllowed)
    case .and: ParsedCompoundPredicate(core, .and)
    case .or: ParsedCompoundPredicate(core, .or)
    case .not: ParsedCompoundPredicate(core, .not)
    case .constant: ParsedPredicate(core)
    case .opaque(let opaque): opaque.owner as? NSPredicate ?? ParsedPredicate(core)
    }
  }
}

extension FormatInitializable where Self: NSPredicate {
  /// The same predicate with constants in place of its variables; `NSNull` stands for nil.
  ///
  /// A variable without a value stops the program. Source: documented (NSPredicate).
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    do {
      let result = try condition.substituting(variables.mapValues { Value(any: $0) })
      guard let predicate = NSPredicate.make(result) as? Self else {
        Misuse.failedEvaluation("\(Self.self) has no variables to replace")
      }
      return predicate
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  /// Lets a predicate be evaluated that was read from a secure archive.
  ///
  /// Until then evaluating it stops the program: look at what it says first. Other predicates are always
  /// allowed. Source: documented (NSPredicate).
  public func allowEvaluation() { (self as? any ConditionCarrier)?.core.allowEvaluation() }
}
