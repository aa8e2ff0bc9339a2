// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension NSExpression {
  /// The constant value, which may be nil.
  ///
  /// Stops the program if `expressionType` is not `constantValue`.
  public var constantValue: Any? {
    switch term {
    case .constant(let constant): return constant.value.any
    case .symbolicIndex(let index): return index.rawValue
    default: lacks("constantValue")
    }
  }

  /// The key path of a key path expression; the path starts at the value of `operand`.
  ///
  /// Stops the program for any other expression.
  public var keyPath: String {
    switch term {
    case .keyPath(let path), .keyPathOf(_, let path): return path
    default: lacks("keyPath")
    }
  }

  /// The selector of a function expression; for a key path, `valueForKey:` or `valueForKeyPath:`.
  ///
  /// Stops the program if the expression has neither a selector nor a key path.
  public var function: String {
    switch term {
    case .function(let function, _): return function.selector
    case .message(let selector, _, _): return selector
    case .keyPath(let path), .keyPathOf(_, let path):
      return path.contains(".") ? "valueForKeyPath:" : "valueForKey:"
    default: lacks("function")
    }
  }

  /// The name, without `$`, of the variable that the expression reads, assigns, or uses for the members of a
  /// subquery's collection.
  ///
  /// Stops the program for any other expression.
  public var variable: String {
    switch term {
    case .variable(let name), .subquery(_, let name, _), .assignment(let name, _): return name
    default: lacks("variable")
    }
  }

  /// The expression to whose value a message is sent, or from whose value a key path is read.
  ///
  /// For a function, and for a key path that is read from the evaluated object, this is the expression for
  /// the evaluated object. Stops the program if the expression is not a function, a message or a key path.
  public var operand: NSExpression {
    switch term {
    case .message(_, let receiver, _): return part(receiver)
    case .keyPath, .function: return NSExpression(.evaluatedObject)
    case .keyPathOf(let base, _): return part(base)
    default: lacks("operand")
    }
  }

  /// The arguments of a function, message or block expression.
  ///
  /// For a key path that is read from another expression's value, this is an array with the key path as a
  /// constant. Nil for any other expression.
  public var arguments: [NSExpression]? {
    switch term {
    case .function(_, let arguments), .message(_, _, let arguments):
      arguments.map(part)
    case .keyPathOf(_, let path): [NSExpression(.constant(Constant(.text(path))))]
    case .opaque(let opaque):
      (opaque.owner as? ExpressionBlock)?.arguments.map(part)
    default: nil
    }
  }

  /// The element expressions of an aggregate, the collection expression of a subquery, or the value of a
  /// constant.
  ///
  /// Stops the program for any other expression.
  public var collection: Any {
    switch term {
    case .aggregate(let members): return members.map(part)
    case .subquery(let collection, _, _): return part(collection)
    case .constant(let constant): return constant.value.any ?? NSNull()
    default: lacks("collection")
    }
  }

  /// The predicate of a subquery or conditional.
  ///
  /// Stops the program if the expression is neither a subquery nor a conditional.
  public var predicate: NSPredicate {
    switch term {
    case .subquery(_, _, let condition), .ternary(let condition, _, _):
      return NSPredicate.make(condition, permission: .ofPart(of: permission))
    default: lacks("predicate")
    }
  }

  /// The left collection of a set expression.
  ///
  /// Stops the program if the expression is not a set expression.
  public var left: NSExpression {
    guard case .setOperation(_, let left, _) = term else { lacks("leftExpression") }
    return part(left)
  }

  /// The right collection of a set expression.
  ///
  /// Stops the program if the expression is not a set expression.
  public var right: NSExpression {
    guard case .setOperation(_, _, let right) = term else { lacks("rightExpression") }
    return part(right)
  }

  /// The value of a conditional if its predicate is true.
  ///
  /// Stops the program if the expression is not a conditional.
  public var `true`: NSExpression {
    guard case .ternary(_, let yes, _) = term else { lacks("trueExpression") }
    return part(yes)
  }

  /// The value of a conditional if its predicate is false.
  ///
  /// Stops the program if the expression is not a conditional.
  public var `false`: NSExpression {
    guard case .ternary(_, _, let no) = term else { lacks("falseExpression") }
    return part(no)
  }

  /// The block of a block expression, which is called with the object, the arguments' values and the
  /// variables.
  ///
  /// Stops the program for any other expression.
  public var expressionBlock: (Any?, [Any], NSMutableDictionary?) -> Any {
    guard case .opaque(let opaque) = term, let block = opaque.owner as? ExpressionBlock else {
      lacks("expressionBlock")
    }
    return block.call
  }

  /// Returns the expression for a part; allowing the evaluation of this expression also allows the part.
  func part(_ term: Term) -> NSExpression {
    NSExpression.make(term, permission: .ofPart(of: permission))
  }

  private func lacks(_ part: String) -> Never { Misuse.absentPart(part, of: self) }
}

extension NSExpression.ExpressionType {
  init(_ term: Term) {
    self =
      switch term {
      case .constant, .symbolicIndex: .constantValue
      case .evaluatedObject: .evaluatedObject
      case .variable: .variable
      case .keyPath: .keyPath
      case .keyPathOf, .function, .message, .assignment: .function
      case .aggregate: .aggregate
      case .subquery: .subquery
      case .setOperation(.union, _, _): .unionSet
      case .setOperation(.intersect, _, _): .intersectSet
      case .setOperation(.minus, _, _): .minusSet
      case .ternary: .conditional
      case .anyKey: .anyKey
      case .fetch: .fetchRequest
      case .opaque, .unusable: .block
      }
  }
}
