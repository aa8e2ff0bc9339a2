// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// A constant number as a bound for integers: its integer part, or the side on which it is beyond all integers.
enum WholeBound {
  /// The greatest integer that is not above the number, and whether the number is that integer.
  case number(floor: Int64, isExact: Bool)
  case above
  case below
  /// A number that equals nothing and has no order.
  case notANumber

  /// Creates the bound; nil for a value that is not a number.
  ///
  /// A decimal that is not a number is above all numbers, as in memory.
  init?(_ value: Value) {
    switch value {
    case .bool(let flag): self = .number(floor: flag ? 1 : 0, isExact: true)
    case .int(let number): self = .number(floor: number, isExact: true)
    case .double(let number):
      if number.isNaN {
        self = .notANumber
      } else if let floor = Int64(exactly: number.rounded(.down)) {
        self = .number(floor: floor, isExact: Double(floor) == number)
      } else {
        self = number > 0 ? .above : .below
      }
    case .decimal(let number):
      if number.isNaN {
        self = .above
        return
      }
      var (source, floor) = (number, Decimal())
      NSDecimalRound(&floor, &source, 0, .down)
      if floor > number { floor -= 1 }
      if floor > Decimal(Int64.max) {
        self = .above
      } else if floor < Decimal(Int64.min) {
        self = .below
      } else {
        self = .number(floor: Int64(floor.description) ?? 0, isExact: floor == number)
      }
    default: return nil
    }
  }

  /// Whether the number is 1 or 0; nil for any other number.
  var flag: Bool? {
    switch self {
    case .number(1, true): true
    case .number(0, true): false
    default: nil
    }
  }

  /// Compares a piece, which is an integer, with the number.
  func answer(_ piece: SQL, _ relation: Relation) -> PostgresDialect.Answer {
    switch (self, relation) {
    case (.notANumber, _): return .never
    case (.above, .lessThan), (.above, .lessThanOrEqual), (.below, .greaterThan),
      (.below, .greaterThanOrEqual):
      return .present(piece)
    case (.above, _), (.below, _): return .never
    case (.number(let floor, true), _):
      return .compared(piece, relation, SQL(bind: .integer(floor)))
    case (.number(let floor, false), .lessThan), (.number(let floor, false), .lessThanOrEqual):
      return .compared(piece, .lessThanOrEqual, SQL(bind: .integer(floor)))
    case (.number(let floor, false), .greaterThan),
      (.number(let floor, false), .greaterThanOrEqual):
      return .compared(piece, .greaterThan, SQL(bind: .integer(floor)))
    case (.number(_, false), _): return .never
    }
  }
}

/// A constant number as a bound for floating-point numbers.
struct RealBound {
  /// The greatest floating-point number that is not above the number.
  let low: Double
  /// The smallest that is not below it.
  let high: Double
  private let isDecimal: Bool

  /// Creates the bound; nil for a value that is not a number.
  ///
  /// A decimal stands for the nearest floating-point number, as in memory.
  init?(_ value: Value) {
    switch value {
    case .bool(let flag): (low, high) = flag ? (1, 1) : (0, 0)
    case .double(let number): (low, high) = (number, number)
    case .decimal(let number): (low, high) = (number.nearestDouble, number.nearestDouble)
    case .int(let number):
      let nearest = Double(number)
      if let back = Int64(exactly: nearest), back <= number {
        (low, high) = (nearest, back == number ? nearest : nearest.nextUp)
      } else {
        (low, high) = (nearest.nextDown, nearest)
      }
    default: return nil
    }
    isDecimal = if case .decimal = value { true } else { false }
  }

  /// Compares a piece, which is a floating-point number but not NaN, with the number.
  func answer(_ piece: SQL, _ relation: Relation) -> PostgresDialect.Answer {
    if low.isNaN {
      // A decimal that is not a number is above all others, as the server's NaN is.
      let isBelow = relation == .lessThan || relation == .lessThanOrEqual
      return isDecimal && isBelow ? .present(piece) : .never
    }
    let isExact = low == high
    switch relation {
    case .equal: return isExact ? .compared(piece, .equal, SQL(bind: .double(low))) : .never
    case .lessThan, .lessThanOrEqual:
      return .compared(piece, isExact ? relation : .lessThanOrEqual, SQL(bind: .double(low)))
    default:
      return .compared(piece, isExact ? relation : .greaterThanOrEqual, SQL(bind: .double(high)))
    }
  }
}

/// A number that is an integer where `whole` is not NULL, and otherwise `real`, in which NULL stands for NaN.
struct MixedNumber {
  let whole: SQL
  let real: SQL
  let absent: SQL

  /// The number in floating point, with the nearest one for an integer.
  var inFloatingPoint: SQL { "COALESCE(\(whole)::double precision, \(real))" }
}
#endif
