// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Functions whose results are those of memory.
extension PostgresDialect {
  package func unindexed(_ piece: TypedPiece) -> SQL {
    // COALESCE with one more argument is an expression, which no index of a column serves.
    "COALESCE(\(piece.piece), NULL)"
  }

  package func number(_ piece: TypedPiece) -> TypedPiece? {
    switch piece.type {
    case .date: TypedPiece(piece.piece, .real)
    case .boolean: TypedPiece("\(piece.piece)::integer::bigint", .integer)
    default: piece.type.isNumber && piece.type != .number ? piece : nil
    }
  }

  package func arithmetic(
    _ function: ArithmeticFunction,
    _ left: Number,
    _ right: Number
  ) throws(Unsayable) -> TypedPiece {
    if left.constant?.isNull == true || right.constant?.isNull == true {
      return TypedPiece("NULL::bigint", .integer)
    }
    if left.piece.length + right.piece.length > Self.longest {
      throw Unsayable("arithmetic with long expressions")
    }
    let numbers = PostgresNumbers(left, right)
    switch function {
    case .add, .subtract, .multiply, .divide: return try numbers.result(function)
    case .modulus:
      if let divisor = right.constant {
        guard let whole = divisor.truncated, whole != 0 else {
          throw Unsayable("modulus by a constant whose integer part is zero or out of range")
        }
      }
      return TypedPiece("(\(Self.whole(left)) % NULLIF(\(Self.whole(right)), 0))", .integer)
    case .bitwiseAnd: return TypedPiece("(\(Self.whole(left)) & \(Self.whole(right)))", .integer)
    case .bitwiseOr: return TypedPiece("(\(Self.whole(left)) | \(Self.whole(right)))", .integer)
    case .bitwiseXor: return TypedPiece("(\(Self.whole(left)) # \(Self.whole(right)))", .integer)
    case .leftShift, .rightShift:
      guard let places = right.constant?.truncated else {
        throw Unsayable("a shift by a number that is not a constant")
      }
      let isLeft = (function == .leftShift) == (places >= 0)
      let count = Int(min(places.magnitude, 64))
      let whole = Self.whole(left)
      if isLeft {
        return TypedPiece(
          count < 64 ? "(\(whole) << \(name: String(count)))" : "(\(whole) & 0)",
          .integer
        )
      }
      return TypedPiece("(\(whole) >> \(name: String(min(count, 63))))", .integer)
    case .power: throw Unsayable("a power, which a server may calculate otherwise")
    }
  }

  /// Returns the number rounded toward zero; NULL for a number out of the range of integers, which memory
  /// refuses.
  private static func whole(_ number: Number) -> SQL {
    if let constant = number.constant?.truncated { return SQL(bind: .integer(constant)) }
    let real: SQL
    switch number.type {
    case .integer: return number.piece
    case .mixed(let other, _): real = other
    default: real = number.piece
    }
    let rounded: SQL = """
      CASE WHEN \(real) >= -9223372036854775808 AND \(real) < 9223372036854775808 \
      THEN trunc(\(real))::bigint END
      """
    if case .mixed = number.type { return "COALESCE(\(number.piece), \(rounded))" }
    return rounded
  }

  package func numeric(
    _ function: NumericFunction,
    _ value: Number
  ) throws(Unsayable) -> TypedPiece {
    if value.piece.length > Self.longest { throw Unsayable("a function of a long expression") }
    let name: String
    switch function {
    case .squareRoot:
      let real = PostgresNumbers.real(value)
      return TypedPiece(
        "CASE WHEN \(real) >= 0 THEN sqrt(\(real)) END",
        .computed(absent: value.absent)
      )
    case .onesComplement: return TypedPiece("(~\(Self.whole(value)))", .integer)
    case .ceiling: name = "ceil"
    case .floor: name = "floor"
    case .truncation: name = "trunc"
    case .absolute: name = "abs"
    case .logarithm, .naturalLogarithm, .exponential, .random, .randomBelow:
      throw .function(.numeric(function))
    }
    func call(_ piece: SQL) -> SQL { "\(name: name)(\(piece))" }
    switch value.type {
    case .integer where function == .absolute, .mixed where function == .absolute:
      // The least integer has no contrary.
      let whole: SQL = """
        CASE WHEN \(value.piece) > -9223372036854775808 THEN abs(\(value.piece)) END
        """
      let real = call(PostgresNumbers.real(value))
      return TypedPiece(whole, .mixed(real: real, absent: value.absent))
    case .integer: return TypedPiece(value.piece, .integer)
    case .real: return TypedPiece(call(value.piece), .real)
    case .computed: return TypedPiece(call(value.piece), .computed(absent: value.absent))
    case .mixed(let real, let absent):
      return TypedPiece(value.piece, .mixed(real: call(real), absent: absent))
    default: throw .function(.numeric(function))
    }
  }

  package func text(_ function: TextFunction, _ text: SQL) throws(Unsayable) -> TypedPiece {
    guard function == .length else { throw .function(.text(function)) }
    // The length counts UTF-16 code units, of which a character after U+FFFF has two and four bytes.
    let length: SQL = """
      CASE WHEN octet_length(\(text)) = char_length(\(text)) THEN char_length(\(text)) \
      ELSE char_length(\(text)) + char_length(regexp_replace(\(text) COLLATE "C", \
      '[\\u0001-\\uffff]+', '', 'g')) END
      """
    return TypedPiece("(\(length))::bigint", .integer)
  }

  package func cast(_ piece: TypedPiece, to type: ValueType, named name: String) -> TypedPiece? {
    switch (piece.type, type) {
    case (.text, .text), (.date, .date), (.integer, .number), (.real, .number),
      (.computed, .number), (.mixed, .number):
      piece
    case (.boolean, .number): TypedPiece("\(piece.piece)::integer::bigint", .integer)
    case (.integer, .text): TypedPiece("\(piece.piece)::text", .text)
    case (.date, .number): TypedPiece(piece.piece, .real)
    case (.real, .date): TypedPiece(piece.piece, .date)
    case (.integer, .date): TypedPiece("\(piece.piece)::double precision", .date)
    default: nil
    }
  }

  package func choice(
    if test: SQL,
    _ yes: (piece: SQL, type: ValueType?),
    _ no: (piece: SQL, type: ValueType?),
    type: ValueType
  ) throws(Unsayable) -> TypedPiece {
    if type == .number {
      guard let one = Self.integer(yes), let other = Self.integer(no) else {
        throw Unsayable("TERNARY between an integer and a floating-point number")
      }
      return TypedPiece("(CASE WHEN \(test) THEN \(one) ELSE \(other) END)", .integer)
    }
    return TypedPiece("(CASE WHEN \(test) THEN \(yes.piece) ELSE \(no.piece) END)", type)
  }

  private static func integer(_ branch: (piece: SQL, type: ValueType?)) -> SQL? {
    switch branch.type {
    case .integer, nil: branch.piece
    case .boolean: "(\(branch.piece))::integer::bigint"
    default: nil
    }
  }
}
#endif
