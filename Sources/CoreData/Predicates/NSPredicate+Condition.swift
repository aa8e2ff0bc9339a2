// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import Foundation

extension NSPredicate {
  /// What the predicate says; block predicates and subclasses of others become opaque.
  package var condition: Condition {
    switch self {
    case let known as any ConditionCarrier: return known.carriedCondition
    case let compound as NSCompoundPredicate:
      let members = compound.subpredicates.map(\.condition)
      switch compound.compoundPredicateType {
      case .and: return .and(members)
      case .or: return .or(members)
      case .not: return members.first.map(Condition.not) ?? .constant(true)
      }
    default:
      if let flag = constant { return .constant(flag) }
      // The closure is called where the predicate is evaluated, on the caller's thread.
      nonisolated(unsafe) let predicate = self
      return .opaque(
        OpaqueCondition { object, variables in
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

  /// The predicate of the class that Apple's parser gives for a condition.
  package static func make(_ condition: Condition) -> NSPredicate {
    switch condition {
    case .comparison(let comparison): NSComparisonPredicate(comparison)
    case .and(let members): ParsedCompoundPredicate(condition, .and, members)
    case .or(let members): ParsedCompoundPredicate(condition, .or, members)
    case .not(let member): ParsedCompoundPredicate(condition, .not, [member])
    case .constant, .opaque: ParsedPredicate(condition)
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
}

/// A predicate that knows its condition.
protocol ConditionCarrier {
  var carriedCondition: Condition { get }
}

/// A condition and what is needed to evaluate it for Foundation's methods.
final class PredicateCore: Sendable {
  let prepared: PreparedCondition
  init(_ condition: Condition) { prepared = PreparedCondition(condition) }

  var condition: Condition { prepared.condition }

  func evaluate(_ object: Any?, _ variables: [String: Any]?) -> Bool {
    do {
      // Managed objects are what is asked most; for them nothing else is tried.
      let value =
        (object as? NSManagedObject).map { .object($0) } ?? Value(any: object).evaluated
      return try prepared.holds(
        for: value,
        variables: variables?.mapValues { Value(any: $0).evaluated } ?? [:]
      )
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { $0.condition == condition } ?? false
  }
}
