// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

extension Misuse {
  /// `selector` is the method that raises the exception in Apple's framework.
  static func undefinedKey(
    _ error: UnknownKey,
    selector: String = "valueForUndefinedKey:"
  ) -> Never {
    fatalError(
      "[<\(error.owner)> \(selector)]: this class is not key value coding-compliant "
        + "for the key \(error.key)."
    )
  }

  static func unknownFunction(_ name: String) -> Never {
    let selectors = Function.allCases.map(\.selector).sorted().joined(separator: ", ")
    fatalError(
      "Unsupported function expression “\(name)”: no function has this selector. Use one of \(selectors), or "
        + "NSExpression(forFunction:selectorName:arguments:) for a method of a value."
    )
  }

  static func wrongArgumentCount(_ count: Int, of function: Function) -> Never {
    let expected =
      switch function.arity {
      case 0: "no arguments"
      case 1: "1 argument"
      default: "\(function.arity) arguments"
      }
    fatalError(
      "Unsupported function expression “\(function.selector)”: the function has \(expected), but \(count) "
        + (count == 1 ? "was passed." : "were passed.")
    )
  }

  static func absentPart(_ part: String, of expression: NSExpression) -> Never {
    fatalError(
      "-\(part) is not defined for the expression \(expression), whose expressionType is "
        + ".\(expression.expressionType). Check the expressionType before you read \(part)."
    )
  }

  static func contentlessExpression(
    _ type: NSExpression.ExpressionType,
    _ expressionClass: NSExpression.Type
  ) -> Never {
    fatalError(
      "The expression of the class \(expressionClass) was created with init(expressionType: .\(type)), so it "
        + "has no content that NSExpression can evaluate. Override expressionValue(with:context:) without "
        + "calling super, or create the expression with another initialiser."
    )
  }

  static func namelessKeyPath(_ path: AnyKeyPath, _ reason: String, remedy: String) -> Never {
    fatalError(KeyPathNames.text(path, reason, remedy: remedy))
  }

  static func pathlessDescriptor(_ descriptor: String) -> Never {
    fatalError(
      "The sort descriptor \(descriptor) does not compare by a key path, so no NSSortDescriptor is "
        + "equivalent to it. Create an NSSortDescriptor with a key, as in "
        + "NSSortDescriptor(key: \"name\", ascending: true)."
    )
  }

  static func unknownSelector(_ selector: Selector) -> Never {
    fatalError(SortKey.Comparison.unsupported(selector))
  }

  static func failedArchiving(_ reason: String) -> Never { fatalError(reason) }

  static func disabledEvaluation(_ kind: String) -> Never {
    fatalError(
      "This \(kind) has evaluation disabled, because it was decoded from an archive. Inspect the \(kind), "
        + "and then call its allowEvaluation()."
    )
  }
}
