// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension TermNode {
  func value(of object: Value, _ variables: inout [String: Value]) throws -> Value {
    switch self {
    case .constant(let value): return value
    case .object: return object
    case .key(let reader): return try reader.value(of: object)
    case .keyPath(let base, let path):
      return try base.value(of: object, &variables).value(forKeyPath: path)
    case .variable(let name):
      guard let value = variables[name] else {
        throw EvaluationError(.unboundVariable, "Can't get value for '\(name)' in bindings.")
      }
      return value
    case .assignment(let name, let term):
      let assigned = try term.value(of: object, &variables)
      variables[name] = assigned
      return assigned
    case .function(let function, let arguments):
      return try function.value(Self.values(arguments, of: object, &variables))
    case .element(let base, let index):
      return try Function.element(of: base.value(of: object, &variables), index)
    case .message(let message):
      let receiver = try message.receiver.value(of: object, &variables)
      return try message.value(receiver, Self.values(message.arguments, of: object, &variables))
    case .aggregate(let members):
      let values = try Self.values(members, of: object, &variables)
      return .collection(ValueCollection(.array, values))
    case .container(let members): return try Self.container(members, of: object, &variables)
    case .subquery(let source, let name, let condition):
      let collection = try Self.searched(source.value(of: object, &variables))
      return try Self.members(of: collection, named: name, where: condition, object, &variables)
    case .setOperation(let operation, let left, let right):
      return try operation.value(
        left.value(of: object, &variables),
        right.value(of: object, &variables)
      )
    case .ternary(let condition, let yes, let no):
      return try condition.holds(object, &variables)
        ? yes.value(of: object, &variables) : no.value(of: object, &variables)
    case .anyKey: return .collection(ValueCollection(.array, try object.valuesOfAllKeys()))
    case .fetch(let request, let context, let countOnly):
      let value = try request.value(of: object, &variables)
      guard case .opaque(let any) = value, let request = any as? any FetchEvaluating else {
        throw EvaluationError(
          .invalidArgument,
          "FETCH needs an NSFetchRequest as its first argument, not \(value.kindName)"
        )
      }
      let context = try context.value(of: object, &variables)
      return try request.fetchedValue(context: context, countOnly: countOnly)
    case .opaque(let opaque): return opaque.evaluate(object, variables)
    case .unusable(let reason): throw EvaluationError(.unsupported, reason)
    }
  }

  private static func values(
    _ terms: [TermNode],
    of object: Value,
    _ variables: inout [String: Value]
  ) throws -> [Value] {
    try terms.map { try $0.value(of: object, &variables) }
  }

  private static func container(
    _ terms: [(member: TermNode, isPath: Bool)],
    of object: Value,
    _ variables: inout [String: Value]
  ) throws -> Value {
    var members: [Value] = []
    for (term, isPath) in terms {
      let value = try term.value(of: object, &variables)
      if isPath, case .collection(let values) = value {
        members += Statistics.flattened(values.members)
      } else {
        members.append(value)
      }
    }
    return .collection(ValueCollection(.array, members))
  }

  private static func searched(_ source: Value) throws -> ValueCollection {
    switch source {
    case .collection(let collection): return collection
    case .null: return ValueCollection(.array, [])
    default:
      throw EvaluationError(
        .invalidArgument,
        "SUBQUERY needs a collection, not \(source.kindName)"
      )
    }
  }

  private static func members(
    of collection: ValueCollection,
    named name: String,
    where condition: ConditionNode,
    _ object: Value,
    _ variables: inout [String: Value]
  ) throws -> Value {
    let outer = variables[name]
    defer { variables[name] = outer }
    var chosen: [Value] = []
    for member in collection.members {
      variables[name] = member
      if try condition.holds(object, &variables) { chosen.append(member) }
    }
    return .collection(ValueCollection(collection.kind, chosen))
  }
}

extension Value {
  fileprivate func valuesOfAllKeys() throws -> [Value] {
    switch self {
    case .dictionary(let dictionary):
      return dictionary.keys.sorted().compactMap { dictionary[$0] }
    case .object(let object):
      guard let place = object.keyedRow else { break }
      let attributes = place.entity._withUnsafeGuaranteedRef { entity in
        entity.properties.filter { $0.attribute != nil }.map(\.name)
      }
      return try attributes.map { try object.keyedValue($0) }
    default:
      throw EvaluationError(
        .unsupported,
        "ANYKEY needs a dictionary or a managed object, not \(kindName)"
      )
    }
    throw EvaluationError(
      .unsupported,
      "ANYKEY needs a dictionary or a managed object of a context, and this object is neither"
    )
  }
}

extension Term.SetOperation {
  fileprivate func value(_ left: Value, _ right: Value) throws -> Value {
    guard case .collection(let left) = left, case .collection(let right) = right else {
      throw EvaluationError(
        .invalidArgument,
        "\(word) needs two collections, not \(left.kindName) and \(right.kindName)"
      )
    }
    let others = Set(right.members.map(\.identity))
    let members =
      switch self {
      case .union: left.members + right.members
      case .intersect: left.members.filter { others.contains($0.identity) }
      case .minus: left.members.filter { !others.contains($0.identity) }
      }
    return .collection(ValueCollection(.set, ValueCollection.distinct(members)))
  }
}
