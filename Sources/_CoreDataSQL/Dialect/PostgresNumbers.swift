// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataPredicate

/// The arithmetic of two numbers as memory calculates it, without the errors that the server raises.
///
/// The sum of two integers is an integer, or a floating-point number where it would overflow. The server raises
/// an error where a floating-point result would be infinite, or would be rounded to zero.
struct PostgresNumbers {
  private let left: Number
  private let right: Number
  private let absent: SQL

  init(_ left: Number, _ right: Number) {
    self.left = left
    self.right = right
    absent = Self.joined(left.absent, right.absent)
  }

  private static func joined(_ one: SQL, _ other: SQL) -> SQL {
    one == "FALSE" ? other : other == "FALSE" ? one : "(\(one) OR \(other))"
  }

  func result(_ function: ArithmeticFunction) throws(Unsayable) -> TypedPiece {
    if let one = Self.whole(left), let other = Self.whole(right) {
      return try whole(function, one, other)
    }
    let piece: SQL
    switch function {
    case .add: piece = try sum("+")
    case .subtract: piece = try sum("-")
    case .multiply: piece = try product()
    default: piece = try quotient()
    }
    return TypedPiece(piece, .computed(absent: absent))
  }

  /// The largest integers and all that is calculated from a few of them are less than this.
  private static let bounded = 1e280

  /// Returns the integer, or NULL where the number is none; nil for a floating-point number.
  private static func whole(_ number: Number) -> SQL? {
    if case .bool(let flag)? = number.constant { return SQL(bind: .integer(flag ? 1 : 0)) }
    return number.type.isWhole ? number.piece : nil
  }

  /// Returns the number in floating point.
  static func real(_ number: Number) -> SQL {
    if let constant = number.constant?.number { return SQL(bind: .double(constant)) }
    switch number.type {
    case .mixed(let real, _): return "COALESCE(\(number.piece)::double precision, \(real))"
    case .integer: return "\(number.piece)::double precision"
    default: return number.piece
    }
  }

  /// Whether the number is less than `bounded`, and zero or greater than its reciprocal.
  private static func isBounded(_ number: Number) -> Bool {
    guard let constant = number.constant?.number else { return number.type.isWhole }
    return constant == 0
      || constant.magnitude < bounded && constant.magnitude > 1 / bounded
  }

  // MARK: Integers

  private func whole(
    _ function: ArithmeticFunction,
    _ one: SQL,
    _ other: SQL
  ) throws(Unsayable) -> TypedPiece {
    let (a, b) = (Self.real(left), Self.real(right))
    let sign: String
    switch function {
    case .add: sign = "+"
    case .subtract: sign = "-"
    case .multiply: sign = "*"
    default: return try wholeQuotient(one, other)
    }
    let piece: SQL = """
      CASE WHEN (\(one)::numeric \(name: sign) \(other)) \
      BETWEEN -9223372036854775808 AND 9223372036854775807 \
      THEN \(one) \(name: sign) \(other) END
      """
    return TypedPiece(
      "(\(piece))",
      .mixed(real: "(\(a) \(name: sign) \(b))", absent: absent)
    )
  }

  private func wholeQuotient(_ one: SQL, _ other: SQL) throws(Unsayable) -> TypedPiece {
    if case .integer = left.type, let divisor = right.constant?.truncated, divisor != 0,
      divisor != -1
    {
      return TypedPiece("(\(one) / \(other))", .integer)
    }
    if right.constant?.truncated == 0 { throw Unsayable("a division by the constant zero") }
    let (a, b) = (Self.real(left), Self.real(right))
    let piece: SQL = """
      CASE WHEN \(other) <> 0 AND NOT (\(other) = -1 AND \(one) = -9223372036854775808) \
      THEN \(one) / \(other) END
      """
    let real: SQL = """
      CASE WHEN \(b) <> 0 THEN \(a) / \(b) \
      WHEN \(b) = 0 AND \(a) > 0 THEN 'Infinity'::double precision \
      WHEN \(b) = 0 AND \(a) < 0 THEN '-Infinity'::double precision END
      """
    return TypedPiece("(\(piece))", .mixed(real: "(\(real))", absent: absent))
  }

  // MARK: Floating-point numbers

  private func sum(_ sign: String) throws(Unsayable) -> SQL {
    if let constant = left.constant?.number ?? right.constant?.number, !constant.isFinite {
      throw Unsayable("arithmetic with an infinite constant")
    }
    let (a, b) = (Self.real(left), Self.real(right))
    let plain: SQL = "(\(a) \(name: sign) \(b))"
    if Self.isBounded(left) || Self.isBounded(right) { return plain }
    // The sum of the halves is exact where the numbers are large.
    let half: SQL = "(\(a) / 2 \(name: sign) \(b) / 2)"
    let infinite = Self.infinite(half)
    let limit = Self.literal(Double(sign: .plus, exponent: 1023, significand: 1))
    let contrary = sign == "-" ? "-" : ""
    return """
      (CASE WHEN abs(\(a)) < 8e307 AND abs(\(b)) < 8e307 THEN \(plain) \
      WHEN abs(\(b)) < 1e200 THEN \(a) WHEN abs(\(a)) < 1e200 THEN \(name: contrary)\(b) \
      WHEN abs(\(a)) = 'Infinity' OR abs(\(b)) = 'Infinity' THEN NULLIF(\(plain), 'NaN') \
      WHEN abs(\(half)) < \(name: limit) THEN \(plain) ELSE \(infinite) END)
      """
  }

  private static func infinite(_ piece: SQL) -> SQL {
    """
    CASE WHEN \(piece) > 0 THEN 'Infinity'::double precision \
    WHEN \(piece) < 0 THEN '-Infinity'::double precision END
    """
  }

  private func product() throws(Unsayable) -> SQL {
    for constant in [left.constant?.number, right.constant?.number] {
      if let constant, !constant.isFinite {
        throw Unsayable("arithmetic with an infinite constant")
      }
    }
    let (a, b) = (Self.real(left), Self.real(right))
    let plain: SQL = "(\(a) * \(b))"
    if Self.isBounded(left) && Self.isBounded(right) { return plain }
    if a.length + b.length > PostgresDialect.longest / 4 {
      throw Unsayable("a product of long expressions")
    }
    // A power of two scales without rounding. The product overflows if the scaled one is 2 to the power of
    // -16 or more, and is rounded to zero if the other is at most 2 to the power of 125.
    let small = Double(sign: .plus, exponent: -520, significand: 1)
    let large = Double(sign: .plus, exponent: 600, significand: 1)
    let least = Double(sign: .plus, exponent: -16, significand: 1)
    let zero = Double(sign: .plus, exponent: 125, significand: 1)
    func scaled(_ factor: Double) -> SQL {
      let factor = Self.literal(factor)
      return "(\(a) * \(name: factor)) * (\(b) * \(name: factor))"
    }
    let overflow = scaled(small)
    return """
      (CASE WHEN \(a) = 0 OR \(b) = 0 THEN NULLIF(\(plain), 'NaN') \
      WHEN abs(\(a)) BETWEEN 1e-150 AND 1e150 AND abs(\(b)) BETWEEN 1e-150 AND 1e150 THEN \(plain) \
      WHEN abs(\(a)) > 1e-150 AND abs(\(b)) > 1e-150 THEN \
      CASE WHEN abs(\(a)) < 1 OR abs(\(b)) < 1 THEN \(plain) \
      WHEN abs(\(overflow)) < \(name: Self.literal(least)) THEN \(plain) \
      ELSE \(Self.infinite(overflow)) END \
      WHEN abs(\(a)) >= 1 OR abs(\(b)) >= 1 THEN \(plain) \
      WHEN abs(\(scaled(large))) > \(name: Self.literal(zero)) THEN \(plain) \
      WHEN \(a) IS NOT NULL AND \(b) IS NOT NULL THEN 0 END)
      """
  }

  private static func literal(_ number: Double) -> String { "'\(number)'::double precision" }

  private func quotient() throws(Unsayable) -> SQL {
    guard let divisor = right.constant?.number else {
      throw Unsayable("a division by a number that is not a constant")
    }
    if divisor == 0 || !divisor.isFinite {
      throw Unsayable("a division by the constant \(divisor)")
    }
    let (a, b) = (Self.real(left), Self.real(right))
    let plain: SQL = "(\(a) / \(b))"
    if Self.isBounded(left) && Self.isBounded(right) { return plain }
    if divisor.magnitude >= 1 {
      let least = Self.least { $0 / divisor.magnitude > 0 }
      return """
        (CASE WHEN abs(\(a)) >= \(name: Self.literal(least)) OR \(a) = 0 THEN \(plain) \
        WHEN \(a) IS NOT NULL THEN 0 END)
        """
    }
    let greatest = Self.greatest { ($0 / divisor.magnitude).isFinite }
    let infinite = Self.infinite(divisor > 0 ? a : "-\(a)")
    return """
      (CASE WHEN abs(\(a)) <= \(name: Self.literal(greatest)) THEN \(plain) ELSE \(infinite) END)
      """
  }

  /// Returns the least positive number for which a condition holds that holds for all greater numbers.
  private static func least(_ holds: (Double) -> Bool) -> Double {
    var (low, high) = (0 as UInt64, Double.greatestFiniteMagnitude.bitPattern)
    while high - low > 1 {
      let middle = low + (high - low) / 2
      if holds(Double(bitPattern: middle)) { high = middle } else { low = middle }
    }
    return Double(bitPattern: high)
  }

  /// Returns the greatest number for which a condition holds that holds for all smaller positive numbers.
  private static func greatest(_ holds: (Double) -> Bool) -> Double {
    least { !holds($0) }.nextDown
  }
}
#endif
