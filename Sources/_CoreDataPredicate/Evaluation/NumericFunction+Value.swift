// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NumericFunction {
  /// Returns the result of the function for a number; null for null.
  ///
  /// - Throws: `EvaluationError` (`invalidArgument`) for a value that is not a number, and for an operand of
  ///   `onesComplement` that is out of the range of `Int64`.
  func value(of argument: Value) throws -> Value {
    if argument.isNull { return .null }
    guard let number = argument.number else { throw Function.notANumber(.numeric(self), argument) }
    switch self {
    case .squareRoot: return .double(number.squareRoot())
    case .logarithm: return .double(log10(number))
    case .naturalLogarithm: return .double(log(number))
    case .exponential: return .double(exp(number))
    case .ceiling: return Self.rounded(argument, number, .up)
    case .floor: return Self.rounded(argument, number, .down)
    case .truncation: return Self.rounded(argument, number, .towardZero)
    case .absolute:
      if case .int(let whole) = argument, whole != .min { return .int(abs(whole)) }
      if case .decimal(let decimal) = argument { return .decimal(abs(decimal)) }
      return .double(abs(number))
    case .onesComplement:
      guard let whole = argument.truncated else {
        throw EvaluationError(
          .invalidArgument,
          "The function onesComplement needs a number in the range of a 64-bit integer, not "
            + argument.shown
        )
      }
      return .int(~whole)
    case .random, .randomBelow:
      guard let bound = argument.truncated, bound > 0 else { return .int(0) }
      return .int(Int64.random(in: 0..<bound))
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
}
