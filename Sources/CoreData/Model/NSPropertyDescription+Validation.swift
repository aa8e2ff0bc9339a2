// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPropertyDescription {
  /// Returns the error of the first validation predicate that `value` does not satisfy, or nil if `value`
  /// satisfies all predicates.
  ///
  /// Nil and `NSNull` are not checked, because `isOptional` determines whether nil is allowed. The warning at
  /// the predicate's index is the error's description or, if the warning is a number, the error's code.
  /// Otherwise the code is 1550. If a predicate cannot be evaluated, for example because a regular expression
  /// needs too many steps, the value is rejected with 1550 and the reason.
  ///
  /// Source: `docs/reference/behaviour.md` VAL-4.
  package func violation(of value: Any?, object: AnyObject?) -> NSError? {
    guard let value, !(value is NSNull) else { return nil }
    for (index, predicate) in validationPredicates.enumerated() {
      var warning = index < validationWarnings.count ? validationWarnings[index] : nil
      do {
        if try predicate.isMet(by: value) { continue }
      } catch {
        let entity = owner?.target?.name.map { " of \($0)" } ?? ""
        warning =
          "The value of “\(name)”\(entity) cannot be validated with the predicate "
          + "“\(predicate.canonicalFormat)”: \(error)."
      }
      let code = (warning as? NSNumber)?.intValue ?? NSManagedObjectValidationError
      return ValidationErrors.make(
        code,
        object: object,
        key: name,
        value: value,
        predicate: predicate,
        warning: warning as? String
      )
    }
    return nil
  }
}

extension NSPredicate {
  /// Evaluates the predicate like `evaluate(with:)`, but throws the errors for which `evaluate(with:)` stops
  /// the program.
  ///
  /// - Throws: `EvaluationError` and `UnknownKey`. A custom subclass of `NSPredicate` is evaluated with
  ///   `evaluate(with:)`, which cannot throw.
  fileprivate func isMet(by value: Any) throws -> Bool {
    if let carrier = self as? any ConditionCarrier { return try carrier.core.holds(for: value) }
    guard let compound = self as? NSCompoundPredicate,
      type(of: compound) == NSCompoundPredicate.self
    else { return evaluate(with: value) }
    let parts = compound.subpredicates
    return switch compound.compoundPredicateType {
    case .and: try parts.allSatisfy { try $0.isMet(by: value) }
    case .or: try parts.contains { try $0.isMet(by: value) }
    default: try parts.first.map { try !$0.isMet(by: value) } ?? true
    }
  }
}
