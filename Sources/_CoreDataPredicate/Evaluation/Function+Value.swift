// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Function {
  /// Returns the result of the function for evaluated arguments; null if an argument that must be a number, a
  /// string or a location is null.
  ///
  /// - Throws: `EvaluationError` (`unsupported` for the wrong number of arguments, `invalidArgument` for
  ///   arguments of the wrong kind, `range` for an index out of bounds), `UnknownKey`, and the errors of a
  ///   `KeyedObject`.
  package func value(_ arguments: [Value]) throws -> Value {
    guard arguments.count == arity else {
      throw EvaluationError(
        .unsupported,
        "Unsupported function expression “\(selector)”: it has "
          + (arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments")
          + " instead of \(arity)"
      )
    }
    switch self {
    case .aggregate(let function): return try function.value(of: arguments[0])
    case .arithmetic(let function): return try function.value(arguments[0], arguments[1])
    case .numeric(let function): return try function.value(of: arguments[0])
    case .text(let function): return try function.value(of: arguments[0])
    case .now: return .date(Date().timeIntervalSinceReferenceDate)
    case .random: return .double(Double.random(in: 0..<1))
    case .noIndex: return arguments[0]
    case .cast: return try Self.cast(arguments[0], to: arguments[1])
    case .element: return try Self.element(of: arguments[0], arguments[1])
    case .distance: return try Self.distance(arguments[0], arguments[1])
    }
  }

  static func notANumber(_ function: Function, _ value: Value) -> EvaluationError {
    EvaluationError(
      .invalidArgument,
      "The function \(function.spelling) needs a number, not \(value.kindName)"
    )
  }
}

extension AggregateFunction {
  /// Returns the aggregate of the members of a collection, including the members of nested collections.
  ///
  /// The members of a dictionary are its values. Null is treated as an empty collection, and any other value
  /// as a collection with one member.
  /// - Throws: `EvaluationError` (`invalidArgument`) for the minimum or maximum of values that cannot be
  ///   compared.
  package func value(of argument: Value) throws -> Value {
    let members = Self.members(argument)
    switch self {
    case .sum: return Statistics.sum(members)
    case .count: return .int(Int64(members.count))
    case .average: return Statistics.average(members)
    case .minimum: return try Statistics.extreme(members, -1)
    case .maximum: return try Statistics.extreme(members, 1)
    case .median: return Statistics.median(members)
    case .mode: return Statistics.mode(members)
    case .standardDeviation: return Statistics.deviation(members)
    }
  }

  private static func members(_ argument: Value) -> [Value] {
    switch argument {
    case .collection(let collection): Statistics.flattened(collection.members)
    case .dictionary(let dictionary): dictionary.keys.sorted().compactMap { dictionary[$0] }
    case .null: []
    default: [argument]
    }
  }
}

extension TextFunction {
  /// Returns the result of the function for a string; null for null.
  ///
  /// - Throws: `EvaluationError` (`invalidArgument`) for a value that is not a string.
  package func value(of argument: Value) throws -> Value {
    let text: String
    switch argument {
    case .null: return .null
    case .text(let content): text = content
    default:
      throw EvaluationError(
        .invalidArgument,
        "The function \(Function.text(self).spelling) needs a string, not \(argument.kindName)"
      )
    }
    switch self {
    case .uppercase: return .text(text.uppercased())
    case .lowercase: return .text(text.lowercased())
    case .canonical:
      let folding = TextFolding([.caseInsensitive, .diacriticInsensitive])
      return .text(String(decoding: folding.folded(text), as: UTF8.self))
    case .length: return .int(Int64(text.utf16.count))
    }
  }
}
