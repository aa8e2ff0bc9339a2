// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension PredicateConversion {
  /// Returns a comparison of two parts.
  ///
  /// `(a ?? b) > c` is split into two comparisons, because a store compares columns faster than the results
  /// of conditional expressions.
  fileprivate func comparison(_ left: Any, _ relation: Relation, _ right: Any) throws -> Condition {
    func compare(_ term: Term, _ other: Term) -> Condition {
      .compare(term, relation, other)
    }
    let other = try term(right)
    guard let choice = left as? any CoalescingPart else { return compare(try term(left), other) }
    let (value, fallback) = try choice.sides(self)
    return .or([
      .and([value.isNotNull, compare(value, other)]),
      .and([value.isNull, compare(fallback, other)]),
    ])
  }
}

private protocol CoalescingPart {
  func sides(_ conversion: PredicateConversion) throws -> (value: Term, fallback: Term)
}

extension PredicateExpressions.NilCoalesce: CoalescingPart {
  fileprivate func sides(
    _ conversion: PredicateConversion
  ) throws -> (value: Term, fallback: Term) {
    (try conversion.term(lhs), try conversion.term(rhs))
  }
}

extension PredicateExpressions.Equal: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    try conversion.comparison(lhs, .equal, rhs)
  }
}

extension PredicateExpressions.NotEqual: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    try conversion.comparison(lhs, .notEqual, rhs)
  }
}

extension PredicateExpressions.Comparison: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    let relation: Relation =
      switch op {
      case .lessThan: .lessThan
      case .lessThanOrEqual: .lessThanOrEqual
      case .greaterThan: .greaterThan
      case .greaterThanOrEqual: .greaterThanOrEqual
      @unknown default:
        throw PredicateConversion.unsupported(
          self,
          "with the operator \(op) is not supported in Core Data predicates"
        )
      }
    return try conversion.comparison(lhs, relation, rhs)
  }
}

extension PredicateExpressions.Conjunction: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    var members: [Condition] = []
    for side in [try conversion.condition(lhs), try conversion.condition(rhs)] {
      if case .and(let inner) = side { members += inner } else { members.append(side) }
    }
    return .and(members)
  }
}

extension PredicateExpressions.Disjunction: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    var members: [Condition] = []
    for side in [try conversion.condition(lhs), try conversion.condition(rhs)] {
      if case .or(let inner) = side { members += inner } else { members.append(side) }
    }
    return .or(members)
  }
}

extension PredicateExpressions.Negation: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    .not(try conversion.condition(wrapped))
  }
}

extension PredicateExpressions.SequenceContains: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    let members = try conversion.term(sequence)
    let member = try conversion.term(element)
    return LHS.Output.self == String.self
      ? .compare(members, .contains, member)
      : .compare(member, .in, members)
  }
}

extension PredicateExpressions.SequenceContainsWhere: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    let found = try conversion.members(of: sequence, variable.key, where: test)
    return .compare(.keyPathOf(found, "@count"), .greaterThan, .literal(0))
  }
}

extension PredicateExpressions.SequenceAllSatisfy: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    let others = try conversion.members(of: sequence, variable.key, where: test, negated: true)
    return .compare(.keyPathOf(others, "@count"), .equal, .literal(0))
  }
}

extension PredicateConversion {
  /// Returns a string comparison in which, as in Swift, every string matches an empty string on the right.
  ///
  /// In `NSPredicate`, no string matches an empty string on the right.
  fileprivate func text(_ base: Any, _ relation: Relation, _ other: Any) throws -> Condition {
    let text = try term(base)
    let part = try term(other)
    if case .constant(let constant) = part, case .text("") = constant.value {
      return text.isNotNull
    }
    let holds = Condition.compare(text, relation, part)
    if case .constant = part { return holds }
    return .or([holds, .and([.compare(part, .equal, .literal("")), text.isNotNull])])
  }
}

extension PredicateConversion {
  fileprivate static func notAString(_ part: Any, _ type: Any.Type) -> PredicateConversionError {
    unsupported(part, "is supported in Core Data predicates only for strings, not for \(type)")
  }
}

extension PredicateExpressions.CollectionContainsCollection: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    guard Base.Output.self == String.self else {
      throw PredicateConversion.notAString(self, Base.Output.self)
    }
    return try conversion.text(base, .contains, other)
  }
}

extension PredicateExpressions.SequenceStartsWith: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    guard Base.Output.self == String.self else {
      throw PredicateConversion.notAString(self, Base.Output.self)
    }
    return try conversion.text(base, .beginsWith, prefix)
  }
}

extension PredicateExpressions.StringContainsRegex: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    guard case let value as PredicateExpressions.Value<PredicateExpressions.PredicateRegex> = regex
    else {
      throw PredicateConversion.unsupported(
        self,
        "is supported in Core Data predicates only with a constant regular expression"
      )
    }
    let pattern = "(?s).*(?:\(value.value.stringRepresentation)).*"
    return .compare(try conversion.term(subject), .matches, .literal(pattern))
  }
}

/// As a condition, `??` has Boolean operands.
extension PredicateExpressions.NilCoalesce: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    let value = try conversion.term(lhs)
    let holds = Condition.compare(value, .equal, .literal(true))
    if case .constant(let constant) = try conversion.term(rhs), case .bool(false) = constant.value {
      return holds
    }
    return .or([holds, .and([value.isNull, try conversion.condition(rhs)])])
  }
}

extension PredicateExpressions.Conditional: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    let test = try conversion.condition(self.test)
    return .or([
      .and([test, try conversion.condition(trueBranch)]),
      .and([.not(test), try conversion.condition(falseBranch)]),
    ])
  }
}
