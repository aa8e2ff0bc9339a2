// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

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
    case .message(let selector, let receiver, let arguments):
      return try message(selector, to: receiver, arguments)
    case .function(let function, let arguments):
      if function == .element, arguments.count == 2,
        case .symbolicIndex(let symbolic) = arguments[1]
      {
        return try Function.element(of: value(arguments[0]), symbolic)
      }
      return try function.value(arguments.map { try value($0) })
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
    case .unusable(let reason): throw EvaluationError(.unsupported, reason)
    case .anyKey: return .collection(ValueCollection(.array, try allValues()))
    case .fetch(let request, let context, let countOnly):
      return try fetch(value(request), value(context), countOnly)
    }
  }

  /// The values of all keys of a dictionary or of an object whose entity is known.
  private func allValues() throws -> [Value] {
    switch root {
    case .dictionary(let dictionary):
      return dictionary.keys.sorted().compactMap { dictionary[$0] }
    case .object(let object):
      guard let place = object.keyedPlace else { break }
      let attributes = place.entity._withUnsafeGuaranteedRef { entity in
        entity.properties.filter { $0.attribute != nil }.map(\.name)
      }
      return try attributes.map { try object.keyedValue($0) }
    default: break
    }
    throw EvaluationError(.unsupported, "ANYKEY needs a dictionary or a managed object")
  }

  private func fetch(_ request: Value, _ context: Value, _ countOnly: Bool) throws -> Value {
    guard case .opaque(let any) = request, let request = any as? any FetchEvaluating else {
      throw EvaluationError(.invalidArgument, "FETCH needs a fetch request")
    }
    return try request.fetchedValue(context: context, countOnly: countOnly)
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
    let others = Set(b.members.map(\.identity))
    let members =
      switch operation {
      case .union: a.members + b.members
      case .intersect: a.members.filter { others.contains($0.identity) }
      case .minus: a.members.filter { !others.contains($0.identity) }
      }
    return .collection(ValueCollection(.set, ValueCollection.distinct(members)))
  }
}
