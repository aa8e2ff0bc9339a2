// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension ExpressionFunction {
  static func binary(_ selector: String, _ left: Value, _ right: Value) throws -> Value {
    if left.isNull || right.isNull { return .null }
    guard let a = left.number else { throw noNumber(selector, left) }
    guard let b = right.number else { throw noNumber(selector, right) }
    switch selector {
    case "bitwiseAnd:with:", "bitwiseOr:with:", "bitwiseXor:with:", "leftshift:by:",
      "rightshift:by:", "modulus:by:":
      guard let first = left.truncated, let second = right.truncated else {
        throw EvaluationError(.invalidArgument, "\(selector) needs whole numbers")
      }
      return try integral(selector, first, second)
    default: break
    }
    if let first = left.whole, let second = right.whole,
      let result = exact(selector, first, second)
    {
      return .int(result)
    }
    if let first = left.decimalOperand, let second = right.decimalOperand,
      left.isDecimal || right.isDecimal, let result = decimal(selector, first, second)
    {
      return .decimal(result)
    }
    return .double(try real(selector, a, b))
  }

  private static func integral(_ selector: String, _ a: Int64, _ b: Int64) throws -> Value {
    switch selector {
    case "bitwiseAnd:with:": return .int(a & b)
    case "bitwiseOr:with:": return .int(a | b)
    case "bitwiseXor:with:": return .int(a ^ b)
    case "leftshift:by:": return .int(a << b)
    case "rightshift:by:": return .int(a >> b)
    default:
      guard b != 0 else { throw EvaluationError(.invalidArgument, "Can't divide by zero") }
      return .int(a.remainderReportingOverflow(dividingBy: b).partialValue)
    }
  }

  /// Whole results of whole numbers; nil where they overflow or have a fraction by nature.
  private static func exact(_ selector: String, _ a: Int64, _ b: Int64) -> Int64? {
    let (result, overflow) =
      switch selector {
      case "add:to:": a.addingReportingOverflow(b)
      case "from:subtract:": a.subtractingReportingOverflow(b)
      case "multiply:by:": a.multipliedReportingOverflow(by: b)
      case "divide:by:": a.dividedReportingOverflow(by: b)
      default: (0, true)
      }
    if !overflow { return result }
    guard selector == "raise:toPower:", b >= 0 else { return nil }
    return Int64(exactly: pow(Double(a), Double(b))).flatMap { $0.magnitude < 1 << 53 ? $0 : nil }
  }

  private static func decimal(_ selector: String, _ a: Decimal, _ b: Decimal) -> Decimal? {
    switch selector {
    case "add:to:": a + b
    case "from:subtract:": a - b
    case "multiply:by:": a * b
    case "divide:by:": b == 0 ? nil : a / b
    default: nil
    }
  }

  private static func real(_ selector: String, _ a: Double, _ b: Double) throws -> Double {
    switch selector {
    case "add:to:": a + b
    case "from:subtract:": a - b
    case "multiply:by:": a * b
    case "divide:by:": a / b
    case "raise:toPower:": pow(a, b)
    default: throw EvaluationError(.unsupported, "Unsupported function expression \(selector)")
    }
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
