// SPDX-License-Identifier: Apache-2.0

/// A bound or pattern of an attribute in the framework's archived form: a comparison, and the code of the
/// error for a value that violates the comparison.
struct ArchivedValidation {
  /// The raw value of `NSComparisonPredicate.Operator`: 1 for `<=`, 3 for `>=`, 6 for `MATCHES`.
  let comparison: Int64
  /// The bound, or the pattern of `MATCHES`.
  let bound: Value
  let isLength: Bool
  let type: AttributeType
  let warning: Int64
}

extension ModelArchiver {
  func validations(of attribute: AttributeDefinition) -> [ArchivedValidation] {
    let isLength = attribute.type == .string
    let codes: (low: Int64, high: Int64) =
      switch attribute.type {
      case .string: (1670, 1660)
      case .date: (1640, 1630)
      case .undefined, .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean,
        .binaryData, .uuid, .uri, .transformable, .objectID, .composite:
        (1620, 1610)
      }
    var validations: [ArchivedValidation] = []
    for (bound, comparison, code) in [
      (attribute.minimum, Int64(3), codes.low), (attribute.maximum, 1, codes.high),
    ] {
      guard let bound else { continue }
      validations.append(
        ArchivedValidation(
          comparison: comparison,
          bound: bound,
          isLength: isLength,
          type: isLength ? .integer64 : attribute.type,
          warning: code
        )
      )
    }
    if let pattern = attribute.pattern {
      validations.append(
        ArchivedValidation(
          comparison: 6,
          bound: .text(pattern),
          isLength: false,
          type: .string,
          warning: 1680
        )
      )
    }
    return validations
  }

  /// Adds the predicate of a validation, such as `SELF >= 1`, and returns the reference to the predicate.
  mutating func comparison(_ validation: ArchivedValidation) -> PropertyListNode {
    let left = builder.object(.selfExpression, ["NSExpressionType": .integer(1)])
    let right = builder.object(
      .constant,
      [
        "NSConstantValue": object(validation.bound, of: validation.type),
        "NSExpressionType": .integer(0),
      ]
    )
    var operatorFields: [String: PropertyListNode] = [
      "NSModifier": .integer(0), "NSOperatorType": .integer(validation.comparison),
    ]
    let isPattern = validation.comparison == 6
    operatorFields[isPattern ? "NSFlags" : "NSOptions"] = .integer(0)
    if !isPattern { operatorFields["NSVariant"] = .integer(validation.comparison) }
    let relation = builder.object(
      isPattern ? .matchingOperator : .comparisonOperator,
      operatorFields
    )
    return builder.object(
      .comparison,
      [
        "NSLeftExpression": validation.isLength ? length(of: left) : left,
        "NSRightExpression": right, "NSPredicateOperator": relation,
      ]
    )
  }

  private mutating func length(of operand: PropertyListNode) -> PropertyListNode {
    let specifier = builder.object(
      .keyPathSpecifier,
      ["NSExpressionType": .integer(10), "NSKeyPath": builder.text("length")]
    )
    return builder.object(
      .keyPath,
      [
        "NSOperand": operand, "NSSelectorName": builder.text("valueForKey:"),
        "NSExpressionType": .integer(3),
        "NSArguments": builder.array(.mutableArray, [specifier]),
      ]
    )
  }
}
