// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// A range with bounds of any type; a missing bound is nil.
private protocol RangeEnds {
  var lower: Any? { get }
  var upper: Any? { get }
  var includesUpper: Bool { get }
}
extension Range: RangeEnds {
  fileprivate var lower: Any? { lowerBound }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { false }
}
extension ClosedRange: RangeEnds {
  fileprivate var lower: Any? { lowerBound }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { true }
}
extension PartialRangeFrom: RangeEnds {
  fileprivate var lower: Any? { lowerBound }
  fileprivate var upper: Any? { nil }
  fileprivate var includesUpper: Bool { true }
}
extension PartialRangeUpTo: RangeEnds {
  fileprivate var lower: Any? { nil }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { false }
}
extension PartialRangeThrough: RangeEnds {
  fileprivate var lower: Any? { nil }
  fileprivate var upper: Any? { upperBound }
  fileprivate var includesUpper: Bool { true }
}

private protocol RangePart {
  func ends(_ conversion: PredicateConversion) throws -> TermRange
}
extension PredicateExpressions.Range: RangePart {
  fileprivate func ends(_ conversion: PredicateConversion) throws -> TermRange {
    TermRange(try conversion.term(lower), try conversion.term(upper), includesUpper: false)
  }
}
extension PredicateExpressions.ClosedRange: RangePart {
  fileprivate func ends(_ conversion: PredicateConversion) throws -> TermRange {
    TermRange(try conversion.term(lower), try conversion.term(upper), includesUpper: true)
  }
}
extension PredicateExpressions.Value: RangePart {
  fileprivate func ends(_ conversion: PredicateConversion) throws -> TermRange {
    guard let range = value as? any RangeEnds else {
      throw PredicateConversion.unsupported(
        self,
        "of type \(Output.self) is not supported as the range of contains(_:) in Core Data predicates; use "
          + "a Range, ClosedRange, PartialRangeFrom, PartialRangeUpTo or PartialRangeThrough"
      )
    }
    func constant(_ any: Any) -> Term { .literal(any) }
    return TermRange(
      range.lower.map(constant),
      range.upper.map(constant),
      includesUpper: range.includesUpper
    )
  }
}

private struct TermRange {
  let lower: Term?
  let upper: Term?
  let includesUpper: Bool

  init(_ lower: Term?, _ upper: Term?, includesUpper: Bool) {
    self.lower = lower
    self.upper = upper
    self.includesUpper = includesUpper
  }

  func contains(_ term: Term) -> Condition {
    if includesUpper, let lower, let upper {
      return .compare(term, .between, .aggregate([lower, upper]))
    }
    var members: [Condition] = []
    if let lower { members.append(.compare(term, .greaterThanOrEqual, lower)) }
    if let upper {
      let relation = includesUpper ? Relation.lessThanOrEqual : .lessThan
      members.append(.compare(term, relation, upper))
    }
    return members.count == 1 ? members[0] : .and(members)
  }
}

extension PredicateExpressions.RangeExpressionContains: ConditionConvertible {
  func condition(_ conversion: PredicateConversion) throws -> Condition {
    guard let part = range as? any RangePart else {
      throw PredicateConversion.unsupported(
        range,
        "is not supported as the range of contains(_:) in Core Data predicates; write the range with its "
          + "bounds, or as a constant"
      )
    }
    return try part.ends(conversion).contains(try conversion.term(element))
  }
}
