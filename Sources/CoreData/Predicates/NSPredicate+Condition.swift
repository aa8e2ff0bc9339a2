// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension NSPredicate {
  /// The core's form of the predicate.
  ///
  /// The conditions of block predicates and of instances of custom subclasses are opaque, except for
  /// subclasses of `NSComparisonPredicate`. Until the predicate is changed, every read returns an equal
  /// condition.
  package var condition: Condition {
    switch self {
    case let known as any ConditionCarrier: return known.core.condition
    case let compound as NSCompoundPredicate where type(of: compound) == NSCompoundPredicate.self:
      return CompoundReading.condition(of: compound)
    default:
      if let flag = constant { return .constant(flag) }
      // Unsafe: the closure is called only during an evaluation, on the caller's thread.
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

  /// The value of `NSPredicate(value:)`, which Foundation does not expose; nil for any other predicate.
  private var constant: Bool? {
    guard type(of: self) == NSPredicate.self else { return nil }
    for child in Mirror(reflecting: self).children where child.label == "kind" {
      for inner in Mirror(reflecting: child.value).children where inner.label == "boolean" {
        return inner.value as? Bool
      }
    }
    return nil
  }

  /// The predicate's condition, prepared for evaluation; stops the program if evaluation is not allowed.
  var preparedCondition: PreparedCondition {
    if let carrier = self as? any ConditionCarrier { return carrier.core.prepared }
    evaluationPermission?.require(for: "predicate")
    return PreparedCondition(condition)
  }

  /// Returns a predicate with the condition: an `NSComparisonPredicate`, an `NSCompoundPredicate` or a plain
  /// `NSPredicate`.
  ///
  /// If the condition is the opaque form of a predicate, returns that predicate itself.
  package static func make(_ condition: Condition) -> NSPredicate {
    make(condition, permission: nil)
  }

  /// Returns a predicate as `make(_:)` does; if `permission` is not nil, the predicate can be evaluated only
  /// after the program has given the permission.
  static func make(_ condition: Condition, permission: EvaluationPermission?) -> NSPredicate {
    var core: PredicateCore { PredicateCore(condition, permission: permission) }
    return switch condition {
    case .comparison(let comparison): NSComparisonPredicate(comparison, permission: permission)
    case .and: ParsedCompoundPredicate(core, .and)
    case .or: ParsedCompoundPredicate(core, .or)
    case .not: ParsedCompoundPredicate(core, .not)
    case .constant: ParsedPredicate(core)
    case .opaque(let opaque): opaque.owner as? NSPredicate ?? ParsedPredicate(core)
    }
  }
}

extension NSPredicate {
  /// The public class of the predicate; error texts do not name the library's internal subclasses.
  var publicClass: NSPredicate.Type {
    switch self {
    case is NSComparisonPredicate: NSComparisonPredicate.self
    case is NSCompoundPredicate: NSCompoundPredicate.self
    default: NSPredicate.self
    }
  }
}

extension FormatInitializable where Self: NSPredicate {
  /// Returns a copy in which each variable is replaced by its value in `variables`; `NSNull` means nil.
  ///
  /// The variable of a subquery is not replaced inside the subquery. If the evaluation of this predicate has
  /// not been allowed, call `allowEvaluation()` on the copy before you evaluate the copy. Stops the program
  /// if `variables` lacks a value for any other variable, or if `Self` is a custom subclass and the result is
  /// not of this class.
  ///
  /// Source: documented, “NSPredicate”.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> Self {
    do {
      let result = try condition.substituting(variables.mapValues { Value(any: $0) })
      let copy = NSPredicate.make(result, permission: evaluationPermission?.forCopy)
      guard let predicate = copy as? Self else {
        Misuse.failedEvaluation(
          "The predicate \(self) with its variables replaced is of the class "
            + "\(copy.publicClass), not \(Self.self). Cast the predicate to NSPredicate "
            + "before you call withSubstitutionVariables(_:)."
        )
      }
      return predicate
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  /// Allows the evaluation of a predicate that a secure coder or `init(archive:)` has decoded; without this
  /// call, the evaluation stops the program.
  ///
  /// Inspect the predicate before the call. The call also allows the parts of the predicate, such as
  /// `subpredicates` and `leftExpression`; a part can also be allowed separately. A predicate that was not
  /// decoded can always be evaluated.
  ///
  /// Source: documented, “NSPredicate”; that parts are included is this library's choice.
  public func allowEvaluation() { evaluationPermission?.allow() }
}
