// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

extension Evaluator {
  mutating func value(_ term: Term) throws -> Value {
    switch term {
    case .constant(let constant): return constant.value
    case .evaluatedObject: return root
    case .keyPath(let path): return try root.value(forKeyPath: path)
    case .keyPathOf(let base, let path): return try value(base).value(forKeyPath: path)
    case .variable(let name): return try variable(name)
    case .assignment(let name, let term):
      let assigned = try value(term)
      variables[name] = assigned
      return assigned
    case .function(let selector, let arguments, let operand):
      if let operand { return try message(selector, to: operand, arguments) }
      if selector == "objectFrom:withIndex:", arguments.count == 2 {
        return try element(of: value(arguments[0]), arguments[1])
      }
      return try ExpressionFunction.value(selector, arguments.map { try value($0) })
    case .aggregate(let members):
      return .collection(ValueCollection(.array, try members.map { try value($0) }))
    case .subquery(let collection, let name, let condition):
      return try subquery(value(collection), name, condition)
    case .setOperation(let operation, let left, let right):
      return try combine(operation, value(left), value(right))
    case .ternary(let condition, let yes, let no):
      return try holds(condition) ? value(yes) : value(no)
    case .symbolicIndex(let index): return .text(index.rawValue)
    case .opaque(let opaque): return opaque.evaluate(root, variables)
    case .anyKey, .fetch:
      throw EvaluationError(.unsupported, "\(term.format) has no value in memory")
    }
  }

  private func variable(_ name: String) throws -> Value {
    guard let value = variables[name] else {
      throw EvaluationError(.unboundVariable, "Can't get value for '\(name)' in bindings.")
    }
    return value
  }

  private mutating func subquery(
    _ source: Value,
    _ name: String,
    _ condition: Condition
  ) throws -> Value {
    let collection: ValueCollection
    switch source {
    case .collection(let found): collection = found
    case .null: collection = ValueCollection(.array, [])
    default:
      throw EvaluationError(
        .invalidArgument,
        "SUBQUERY needs a collection, not \(source.kindName)"
      )
    }
    let outer = variables[name]
    defer { variables[name] = outer }
    var chosen: [Value] = []
    for member in collection.members {
      variables[name] = member
      if try holds(condition) { chosen.append(member) }
    }
    return .collection(ValueCollection(collection.kind, chosen))
  }

  private func combine(
    _ operation: Term.SetOperation,
    _ left: Value,
    _ right: Value
  ) throws -> Value {
    guard case .collection(let a) = left, case .collection(let b) = right else {
      throw EvaluationError(
        .invalidArgument,
        "\(operation.word) needs two collections"
      )
    }
    let others = Set(b.members.map(Constant.init))
    let members =
      switch operation {
      case .union: a.members + b.members
      case .intersect: a.members.filter { others.contains(Constant($0)) }
      case .minus: a.members.filter { !others.contains(Constant($0)) }
      }
    return .collection(ValueCollection(.set, ValueCollection.distinct(members)))
  }

  private mutating func element(of base: Value, _ index: Term) throws -> Value {
    if base.isNull { return .null }
    if case .symbolicIndex(let symbolic) = index { return try element(of: base, symbolic) }
    let index = try value(index)
    switch (base, index) {
    case (.dictionary(let dictionary), .text(let key)): return dictionary[key] ?? .null
    case (.object, .text(let key)): return try base.value(forKey: key)
    case (.collection(let collection), _):
      guard let number = index.truncated else { break }
      guard number >= 0, number < collection.members.count else {
        throw EvaluationError(
          .range,
          "index \(number) beyond bounds for a collection of \(collection.members.count)"
        )
      }
      return collection.members[Int(number)]
    default: break
    }
    throw EvaluationError(
      .invalidArgument,
      "Can't take element \(index.shown) of \(base.kindName)"
    )
  }

  private func element(of base: Value, _ index: Term.SymbolicIndex) throws -> Value {
    switch (base, index) {
    case (.collection(let collection), .first): collection.members.first ?? .null
    case (.collection(let collection), .last): collection.members.last ?? .null
    case (.collection(let collection), .size): .int(Int64(collection.members.count))
    case (.dictionary(let dictionary), .size): .int(Int64(dictionary.count))
    default:
      throw EvaluationError(
        .invalidArgument,
        "Can't take \(index.rawValue) of \(base.kindName)"
      )
    }
  }

  /// `FUNCTION(operand, "selector:", …)`, for the messages that read a value and nothing else.
  private mutating func message(
    _ selector: String,
    to operand: Term,
    _ arguments: [Term]
  ) throws -> Value {
    let target = try value(operand)
    let values = try arguments.map { try value($0) }
    switch (selector, values.first) {
    case ("valueForKey:", .text(let key)): return try target.value(forKey: key)
    case ("valueForKeyPath:", .text(let path)): return try target.value(forKeyPath: path)
    case ("objectForKey:", .text(let key)): return try target.value(forKey: key)
    case ("count", nil):
      if case .collection(let collection) = target { return .int(Int64(collection.members.count)) }
      if case .dictionary(let dictionary) = target { return .int(Int64(dictionary.count)) }
    case (_, nil) where !selector.hasSuffix(":"):
      if case .object = target { break }
      return try target.value(forKey: selector)
    default:
      if ExpressionFunction.arity[selector] == values.count {
        return try ExpressionFunction.value(selector, values)
      }
    }
    throw EvaluationError(.unsupported, "The message \(selector) is not sent from expressions")
  }
}
