// SPDX-License-Identifier: Apache-2.0

/// The operator object of an archived comparison, which contains the operator, the modifier, the options and
/// the selector.
package struct ArchivedOperator {
  package let relation: Relation
  package let modifier: Comparison.Modifier
  package let options: TextOptions
  package let selector: String?

  init(_ comparison: Comparison) {
    relation = comparison.relation
    modifier = comparison.modifier
    options = comparison.options
    selector = comparison.selector
  }

  /// Creates an operator from the fields of an archived object; `integer` and `text` return the value of a
  /// field.
  ///
  /// - Throws: `ArchiveError` if the operator is missing or unknown, if the modifier is unknown, if the
  ///   options are negative, or if a custom operator has no selector.
  package init(integer: (String) -> Int64?, text: (String) -> String?) throws {
    guard let type = integer("NSOperatorType") else {
      throw ArchiveError(
        "The operator of an archived comparison has no integer in the field “NSOperatorType”"
      )
    }
    guard let relation = UInt(exactly: type).flatMap(Relation.init(rawValue:)) else {
      throw ArchiveError("An archived comparison has the unknown operator \(type)")
    }
    let kind = integer("NSModifier") ?? 0
    guard let modifier = UInt(exactly: kind).flatMap(Comparison.Modifier.init(rawValue:)) else {
      throw ArchiveError(
        "An archived comparison has the modifier \(kind); expected 0 (none), 1 (ALL) or 2 (ANY)"
      )
    }
    let flags = integer("NSOptions") ?? integer("NSFlags") ?? 0
    guard let options = UInt(exactly: flags) else {
      throw ArchiveError("An archived comparison has the options \(flags), which are negative")
    }
    selector = text("NSSelectorName")
    if relation == .customSelector, selector == nil {
      throw ArchiveError("An archived comparison with a custom operator has no selector")
    }
    self.relation = relation
    self.modifier = modifier
    self.options = TextOptions(rawValue: options & 0xF)
  }

  var part: ArchivedPart {
    var fields: [String: ArchivedPart.Field] = [
      "NSOperatorType": .integer(Int64(relation.rawValue)),
      "NSModifier": .integer(Int64(modifier.rawValue)),
    ]
    let flags = ArchivedPart.Field.integer(Int64(options.rawValue))
    switch relation {
    case .equal, .notEqual:
      fields["NSNegate"] = .flag(relation == .notEqual)
      fields["NSOptions"] = flags
      return ArchivedPart("NSEqualityPredicateOperator", fields)
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      fields["NSVariant"] = .integer(Int64(relation.rawValue))
      fields["NSOptions"] = flags
      return ArchivedPart("NSComparisonPredicateOperator", fields)
    default:
      fields["NSFlags"] = flags
      if let selector { fields["NSSelectorName"] = .text(selector) }
      return ArchivedPart(className, fields)
    }
  }

  private var className: String {
    switch relation {
    case .in, .contains: "NSInPredicateOperator"
    case .beginsWith, .endsWith: "NSSubstringPredicateOperator"
    case .like: "NSLikePredicateOperator"
    case .matches: "NSMatchingPredicateOperator"
    case .between: "NSBetweenPredicateOperator"
    default: "NSCustomPredicateOperator"
    }
  }
}
