// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension ExpressionFunction {
  /// The result of a function for evaluated arguments; null where a number is needed and null given.
  ///
  /// - Throws: `EvaluationError` for unknown functions and arguments of the wrong kind.
  package static func value(_ selector: String, _ arguments: [Value]) throws -> Value {
    guard arity[selector] == arguments.count else {
      throw EvaluationError(.unsupported, "Unsupported function expression \(selector)")
    }
    switch arguments.count {
    case 0:
      return selector == "now"
        ? .date(Date().timeIntervalSinceReferenceDate) : .double(Double.random(in: 0..<1))
    case 1: return try unary(selector, arguments[0])
    default:
      return try binaryValue(selector, arguments[0], arguments[1])
    }
  }

  private static func binaryValue(_ selector: String, _ left: Value, _ right: Value) throws -> Value
  {
    switch selector {
    case "castObject:toType:": try cast(left, to: right)
    case "objectFrom:withIndex:": try element(of: left, right)
    case "distanceToLocation:fromLocation:": try distance(left, right)
    default: try binary(selector, left, right)
    }
  }

  private static func unary(_ selector: String, _ argument: Value) throws -> Value {
    switch selector {
    case "sum:": return Statistics.sum(members(argument))
    case "count:": return .int(Int64(members(argument).count))
    case "average:": return Statistics.average(members(argument))
    case "min:": return try Statistics.extreme(members(argument), -1)
    case "max:": return try Statistics.extreme(members(argument), 1)
    case "median:": return Statistics.median(members(argument))
    case "mode:": return Statistics.mode(members(argument))
    case "stddev:": return Statistics.deviation(members(argument))
    case "noindex:": return argument
    case "uppercase:", "lowercase:", "canonical:", "length:":
      return argument.isNull ? .null : textual(selector, try text(argument, selector))
    default: return try numeric(selector, argument)
    }
  }

  private static func textual(_ selector: String, _ text: String) -> Value {
    switch selector {
    case "uppercase:": return .text(text.uppercased())
    case "lowercase:": return .text(text.lowercased())
    case "length:": return .int(Int64(text.utf16.count))
    default:
      let folding = TextFolding([.caseInsensitive, .diacriticInsensitive])
      return .text(String(decoding: folding.folded(text), as: UTF8.self))
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

  private static func text(_ argument: Value, _ selector: String) throws -> String {
    guard case .text(let text) = argument else {
      throw EvaluationError(
        .invalidArgument,
        "\(selector) needs a string, not \(argument.kindName)"
      )
    }
    return text
  }

  private static func numeric(_ selector: String, _ argument: Value) throws -> Value {
    if argument.isNull { return .null }
    guard let number = argument.number else { throw noNumber(selector, argument) }
    switch selector {
    case "sqrt:": return .double(number.squareRoot())
    case "log:": return .double(log10(number))
    case "ln:": return .double(log(number))
    case "exp:": return .double(exp(number))
    case "ceiling:": return rounded(argument, number, .up)
    case "floor:": return rounded(argument, number, .down)
    case "trunc:": return rounded(argument, number, .towardZero)
    case "abs:":
      if case .int(let whole) = argument, whole != .min { return .int(abs(whole)) }
      if case .decimal(let decimal) = argument { return .decimal(abs(decimal)) }
      return .double(abs(number))
    case "random:", "randomn:":
      guard let bound = argument.truncated, bound > 0 else { return .int(0) }
      return .int(Int64.random(in: 0..<bound))
    case "onesComplement:":
      guard let whole = argument.truncated else { throw noNumber(selector, argument) }
      return .int(~whole)
    default: throw EvaluationError(.unsupported, "Unsupported function expression \(selector)")
    }
  }

  private static func rounded(
    _ value: Value,
    _ number: Double,
    _ rule: FloatingPointRoundingRule
  ) -> Value {
    if case .int = value { return value }
    return .double(number.rounded(rule))
  }

  static func noNumber(_ selector: String, _ value: Value) -> EvaluationError {
    EvaluationError(.invalidArgument, "\(selector) needs a number, not \(value.kindName)")
  }
}
