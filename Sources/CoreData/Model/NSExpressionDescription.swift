// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A computed column of dictionary results, used in fetch requests and never in entities.
///
/// ```swift
/// let most = NSExpressionDescription()
/// most.name = "most"
/// most.expression = NSExpression(forFunction: "max:", arguments: [NSExpression(forKeyPath: "wins")])
/// most.resultType = .integer32
/// ```
/// Source: documented, “NSExpressionDescription”.
open class NSExpressionDescription: NSPropertyDescription, @unchecked Sendable {
  // Unchecked: like every property, the description is changed only before it is used.

  /// The expression that computes the value of the column; nil by default.
  open var expression: NSExpression? { willSet { willChange() } }
  /// The type of the result; undefined by default.
  open var expressionResultType = NSAttributeType.undefinedAttributeType {
    willSet { willChange() }
  }
  /// The type of the result as an `AttributeType`.
  ///
  /// An unknown raw value is read back as undefined.
  open var resultType: NSAttributeDescription.AttributeType {
    get { NSAttributeDescription.AttributeType(rawValue: expressionResultType.rawValue) }
    set {
      expressionResultType = NSAttributeType(rawValue: newValue.rawValue) ?? .undefinedAttributeType
    }
  }

  package override func copySettings(from other: NSPropertyDescription) {
    super.copySettings(from: other)
    guard let other = other as? NSExpressionDescription else { return }
    expression = other.expression
    expressionResultType = other.expressionResultType
  }

  package override func hasSameContent(as other: NSPropertyDescription) -> Bool {
    guard let other = other as? NSExpressionDescription, super.hasSameContent(as: other) else {
      return false
    }
    return expression == other.expression && expressionResultType == other.expressionResultType
  }
}
