// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

enum Statistics {
  static func flattened(_ values: [Value]) -> [Value] {
    guard values.contains(where: { if case .collection = $0 { true } else { false } }) else {
      return values
    }
    return values.flatMap { value -> [Value] in
      if case .collection(let inner) = value { flattened(inner.members) } else { [value] }
    }
  }

  /// Returns the sum of the values that are not null; 0 if there are no such values.
  ///
  /// The sum of integers and Booleans is an integer, or the nearest floating-point number if the integer would
  /// overflow. The sum is a decimal if at least one value is a decimal and the others are integers or
  /// Booleans. Any other sum is a floating-point number, which is NaN if a value is not a number.
  static func sum(_ values: [Value]) -> Value {
    // 128 bits hold any sum of 64-bit integers, so the order of the values has no influence.
    var whole: Int128 = 0
    var isWhole = true
    for value in values where isWhole {
      switch value {
      case .int(let number): whole += Int128(number)
      case .bool(let flag): whole += flag ? 1 : 0
      case .null: break
      default: isWhole = false
      }
    }
    if isWhole { return Int64(exactly: whole).map(Value.int) ?? .double(Double(whole)) }
    if let decimals = decimals(values) { return .decimal(decimals.reduce(0, +)) }
    return .double(values.reduce(0) { $0 + ($1.isNull ? 0 : $1.number ?? .nan) })
  }

  /// Returns the values as decimals, without nulls.
  ///
  /// Returns nil if no value is a decimal, or if a value is something other than a decimal, an integer, a
  /// Boolean or null.
  private static func decimals(_ values: [Value]) -> [Decimal]? {
    var found = false
    var result: [Decimal] = []
    for value in values {
      switch value {
      case .decimal(let number):
        found = true
        result.append(number)
      case .int(let number): result.append(Decimal(number))
      case .bool(let flag): result.append(flag ? 1 : 0)
      case .null: break
      default: return nil
      }
    }
    return found ? result : nil
  }

  /// Returns the mean, in which nulls count as 0; null if there are no values.
  ///
  /// The mean is NaN if a value is neither null nor a number.
  static func average(_ values: [Value]) -> Value {
    if values.isEmpty { return .null }
    switch sum(values) {
    case .decimal(let sum): return .decimal(sum / Decimal(values.count))
    case let sum: return .double((sum.number ?? .nan) / Double(values.count))
    }
  }

  /// Returns the smallest (`sign` -1) or greatest (`sign` 1) value that is not null; null if all values are
  /// null.
  ///
  /// - Throws: `EvaluationError` (`invalidArgument`) for two values that cannot be compared.
  static func extreme(_ values: [Value], _ sign: Int) throws -> Value {
    var best = Value.null
    for value in values where !value.isNull {
      if best.isNull {
        best = value
        continue
      }
      guard let order = value.order(to: best) else {
        throw EvaluationError(
          .invalidArgument,
          "Can't compare \(value.kindName) with \(best.kindName) to find the "
            + (sign < 0 ? "minimum" : "maximum")
        )
      }
      if order * sign > 0 { best = value }
    }
    return best
  }

  /// Returns the median of the numbers among the values; null if there are no numbers.
  static func median(_ values: [Value]) -> Value {
    let numbers = values.compactMap(\.number).sorted()
    guard !numbers.isEmpty else { return .null }
    let middle = numbers.count / 2
    return numbers.count % 2 == 1
      ? .double(numbers[middle]) : .double((numbers[middle - 1] + numbers[middle]) / 2)
  }

  /// Returns an array of the most frequent values, in the order of their first occurrence; nulls are skipped.
  static func mode(_ values: [Value]) -> Value {
    var counts: [Constant: Int] = [:]
    for value in values where !value.isNull { counts[value.identity, default: 0] += 1 }
    let most = counts.values.max() ?? 0
    let modes = ValueCollection.distinct(values).filter { counts[$0.identity] == most }
    return .collection(ValueCollection(.array, modes))
  }

  /// Returns the population standard deviation of the numbers among the values; null if there are no numbers.
  static func deviation(_ values: [Value]) -> Value {
    let numbers = values.compactMap(\.number)
    guard !numbers.isEmpty else { return .null }
    let mean = numbers.reduce(0, +) / Double(numbers.count)
    let squares = numbers.reduce(0) { $0 + ($1 - mean) * ($1 - mean) }
    return .double((squares / Double(numbers.count)).squareRoot())
  }
}
