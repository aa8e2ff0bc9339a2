// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension ArithmeticFunction {
  /// Returns the result of the function for two numbers; null if either operand is null.
  ///
  /// `modulus:by:` and the bitwise functions truncate their operands to integers and return an integer. The
  /// other functions return an integer for two integers; integer division truncates. If an operand is a
  /// decimal, `+`, `-`, `*` and `/` return a decimal. In all other cases, the result is a floating-point
  /// number: also if an integer would be too large, if the divisor is 0, if the exponent is negative, or if
  /// an operand cannot be converted to a decimal.
  /// - Throws: `EvaluationError` (`invalidArgument`) for an operand that is not a number, for an operand of
  ///   `modulus:by:` or a bitwise function that is out of the range of `Int64`, and for `modulus:by:` zero.
  func value(_ left: Value, _ right: Value) throws -> Value {
    if left.isNull || right.isNull { return .null }
    guard let first = left.number else { throw Function.notANumber(.arithmetic(self), left) }
    guard let second = right.number else { throw Function.notANumber(.arithmetic(self), right) }
    switch self {
    case .add:
      return exact(left, right, whole: { $0.addingReportingOverflow($1) }, decimal: { $0 + $1 })
        ?? .double(first + second)
    case .subtract:
      return exact(
        left,
        right,
        whole: { $0.subtractingReportingOverflow($1) },
        decimal: { $0 - $1 }
      )
        ?? .double(first - second)
    case .multiply:
      return exact(
        left,
        right,
        whole: { $0.multipliedReportingOverflow(by: $1) },
        decimal: { $0 * $1 }
      )
        ?? .double(first * second)
    case .divide:
      return exact(
        left,
        right,
        whole: { $0.dividedReportingOverflow(by: $1) },
        decimal: { $1 == 0 ? nil : $0 / $1 }
      )
        ?? .double(first / second)
    case .power: return wholePower(left, right) ?? .double(pow(first, second))
    case .modulus:
      return try whole(left, right) { dividend, divisor in
        guard divisor != 0 else {
          throw EvaluationError(.invalidArgument, "Can't divide \(dividend) by zero in modulus:by:")
        }
        return dividend.remainderReportingOverflow(dividingBy: divisor).partialValue
      }
    case .bitwiseAnd: return try whole(left, right) { $0 & $1 }
    case .bitwiseOr: return try whole(left, right) { $0 | $1 }
    case .bitwiseXor: return try whole(left, right) { $0 ^ $1 }
    case .leftShift: return try whole(left, right) { $0 << $1 }
    case .rightShift: return try whole(left, right) { $0 >> $1 }
    }
  }

  /// Returns the result of `whole` for two integers; otherwise, if an operand is a decimal, the result of
  /// `decimal`.
  ///
  /// Returns nil if the result must be computed in floating point: if `whole` overflows, if `decimal` returns
  /// nil, or if an operand cannot be converted to a decimal.
  @inline(__always)
  private func exact(
    _ left: Value,
    _ right: Value,
    whole: (Int64, Int64) -> (partialValue: Int64, overflow: Bool),
    decimal: (Decimal, Decimal) -> Decimal?
  ) -> Value? {
    if let first = left.whole, let second = right.whole {
      let (result, overflow) = whole(first, second)
      if !overflow { return .int(result) }
    }
    guard left.isDecimal || right.isDecimal, let first = left.decimalOperand,
      let second = right.decimalOperand
    else { return nil }
    return decimal(first, second).map(Value.decimal)
  }

  /// Returns an integer raised to a nonnegative integer; nil for other operands, and for a magnitude of 2^53
  /// or more.
  ///
  /// From 2^53 on, `pow` may return an inexact result.
  private func wholePower(_ left: Value, _ right: Value) -> Value? {
    guard let base = left.whole, let exponent = right.whole, exponent >= 0,
      let result = Int64(exactly: pow(Double(base), Double(exponent))),
      result.magnitude < 1 << 53
    else { return nil }
    return .int(result)
  }

  @inline(__always)
  private func whole(
    _ left: Value,
    _ right: Value,
    _ result: (Int64, Int64) throws -> Int64
  ) throws -> Value {
    guard let first = left.truncated, let second = right.truncated else {
      throw EvaluationError(
        .invalidArgument,
        "The function \(rawValue) needs numbers in the range of a 64-bit integer, not \(left.shown) and "
          + right.shown
      )
    }
    return .int(try result(first, second))
  }
}

extension Value {
  fileprivate var whole: Int64? {
    switch self {
    case .int(let number): number
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }

  fileprivate var isDecimal: Bool { if case .decimal = self { true } else { false } }

  fileprivate var decimalOperand: Decimal? {
    switch self {
    case .decimal(let number): number
    case .double(let number): number.asDecimal
    default: whole.map { Decimal($0) }
    }
  }
}
