// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import Foundation

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
      if selector == "castObject:toType:" { return try cast(arguments[0], to: arguments[1]) }
      return try binary(selector, arguments[0], arguments[1])
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
    case "uppercase:": return .text(try text(argument, selector).uppercased())
    case "lowercase:": return .text(try text(argument, selector).lowercased())
    case "canonical:":
      let folding = TextFolding([.caseInsensitive, .diacriticInsensitive])
      return .text(String(decoding: folding.folded(try text(argument, selector)), as: UTF8.self))
    case "length:": return .int(Int64(try text(argument, selector).utf16.count))
    default: return try numeric(selector, argument)
    }
  }

  private static func members(_ argument: Value) -> [Value] {
    switch argument {
    case .collection(let collection): Statistics.flattened(collection.members)
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

  private static func cast(_ value: Value, to type: Value) throws -> Value {
    guard case .text(let name) = type else {
      throw EvaluationError(.invalidArgument, "CAST needs the name of a class")
    }
    if value.isNull { return .null }
    switch name {
    case "NSString": return .text(value.plainText)
    case "NSDate":
      if case .date = value { return value }
      if let seconds = value.number { return .date(seconds) }
    case "NSNumber":
      if case .date(let seconds) = value { return .double(seconds) }
      if case .text(let text) = value { return Double(text).map(Value.double) ?? .null }
      if value.number != nil { return value }
    case "NSDecimalNumber":
      switch value {
      case .decimal: return value
      case .int(let number): return .decimal(Decimal(number))
      case .text(let text): return Decimal(string: text).map(Value.decimal) ?? .null
      default: if let number = value.number?.asDecimal { return .decimal(number) }
      }
    default: break
    }
    throw EvaluationError(.invalidArgument, "Can't cast \(value.kindName) to \(name)")
  }
}
