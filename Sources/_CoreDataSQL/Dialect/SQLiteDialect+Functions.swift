// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

extension SQLiteDialect {
  package func unindexed(_ piece: TypedPiece) -> SQL { "+\(piece.piece)" }

  package func number(_ piece: TypedPiece) -> TypedPiece? {
    switch piece.type {
    case .date: TypedPiece("CAST(\(piece.piece) AS REAL)", .real)
    case .any: TypedPiece(piece.piece, .real)
    default: piece.type.isNumber ? piece : nil
    }
  }

  /// Returns the number as an operand of SQL's integer operators, cast to an integer unless its type is
  /// already integral.
  private func whole(_ number: Number) -> SQL {
    number.type == .integer || number.type == .boolean
      ? number.piece : "CAST(\(number.piece) AS INTEGER)"
  }

  package func arithmetic(
    _ function: ArithmeticFunction,
    _ left: Number,
    _ right: Number
  ) throws(Unsayable) -> TypedPiece {
    let absent: SQL = "(\(left.absent) OR \(right.absent))"
    func plain(_ sign: String) -> TypedPiece {
      let piece: SQL = "(\(left.piece) \(name: sign) \(right.piece))"
      let isWhole = left.type.isWhole && right.type.isWhole
      return TypedPiece(piece, isWhole ? .number : .computed(absent: absent))
    }
    func bits(_ sign: String) -> TypedPiece {
      TypedPiece("(\(whole(left)) \(name: sign) \(whole(right)))", .integer)
    }
    func called(_ type: ValueType) throws(Unsayable) -> TypedPiece {
      try call(.arithmetic(function), [left.typed, right.typed], type)
    }
    switch function {
    case .add: return plain("+")
    case .subtract: return plain("-")
    case .multiply: return plain("*")
    case .divide:
      if let divisor = right.constant?.number, divisor != 0 { return plain("/") }
      return try called(.computed(absent: absent))
    case .modulus:
      if right.constant?.truncated == 0 {
        throw Unsayable("modulus by a constant whose integer part is zero")
      }
      return bits("%")
    case .bitwiseAnd: return bits("&")
    case .bitwiseOr: return bits("|")
    case .leftShift: return bits("<<")
    case .rightShift: return bits(">>")
    case .bitwiseXor: return try called(.integer)
    case .power:
      // `pow(NaN, 0)` and `pow(1, NaN)` are 1, but SQLite represents NaN as NULL.
      if left.isComputed || right.isComputed {
        throw Unsayable("a power whose base or exponent is a computed number that can be NaN")
      }
      return try called(.computed(absent: absent))
    }
  }

  package func numeric(
    _ function: NumericFunction,
    _ value: Number
  ) throws(Unsayable) -> TypedPiece {
    let type: ValueType
    switch function {
    case .squareRoot, .logarithm, .naturalLogarithm, .exponential:
      type = .computed(absent: value.absent)
    case .ceiling, .floor, .truncation, .absolute:
      type =
        value.isComputed ? .computed(absent: value.absent) : value.type == .real ? .real : .number
    case .onesComplement: return TypedPiece("(~\(whole(value)))", .integer)
    case .random, .randomBelow: throw .function(.numeric(function))
    }
    return try call(.numeric(function), [value.typed], type)
  }

  package func text(_ function: TextFunction, _ text: SQL) throws(Unsayable) -> TypedPiece {
    let type: ValueType =
      switch function {
      case .uppercase, .lowercase, .canonical: .text
      case .length: .integer
      }
    return try call(.text(function), [TypedPiece(text, .text)], type)
  }

  package func cast(_ piece: TypedPiece, to type: ValueType, named name: String) -> TypedPiece? {
    guard !piece.type.isComputed, piece.type.callKind != .none, type != .decimal else { return nil }
    // A text such as “nan” becomes NaN, which SQLite cannot represent.
    if type == .number, piece.type == .text { return nil }
    // The name is one of the class names of `ConditionCompiler.cast`, so it needs no escaping.
    let named = TypedPiece(SQL([.text("'\(name)'")]), .text)
    // An error means that CDValue cannot call the function.
    return try? call(.cast, [piece, named], type)
  }

  package func choice(
    if test: SQL,
    _ yes: (piece: SQL, type: ValueType?),
    _ no: (piece: SQL, type: ValueType?),
    type: ValueType
  ) -> TypedPiece {
    TypedPiece("CASE WHEN \(test) THEN \(yes.piece) ELSE \(no.piece) END", type)
  }

  /// Returns a call of `CDValue`, the SQL function that evaluates `function` with the same code as in memory.
  private func call(
    _ function: Function,
    _ arguments: [TypedPiece],
    _ type: ValueType
  ) throws(Unsayable) -> TypedPiece {
    guard let call = ValueCall(function, arguments.map(\.type.callKind)) else {
      throw .function(function)
    }
    let pieces = arguments.map(\.piece).joined(separator: ", ")
    return TypedPiece("\(function: ValueCall.name)(\(name: String(call.code)), \(pieces))", type)
  }

  // MARK: Aggregates

  package func ofMembers(
    _ function: AggregateFunction,
    _ piece: TypedPiece,
    distinct: Bool,
    bound: Bound?
  ) throws(Unsayable) -> TypedPiece {
    switch function {
    case .minimum: return TypedPiece("MIN(\(piece.piece))", piece.type)
    case .maximum: return TypedPiece("MAX(\(piece.piece))", piece.type)
    default: break
    }
    let isDecimal = piece.type == .decimal
    let call = MemberCall(isAverage: function == .average, isDecimal: isDecimal)
    let sum: SQL = "\(function: call.name)(\(name: distinct ? "DISTINCT " : "")\(piece.piece))"
    if isDecimal { return TypedPiece(sum, .decimal) }
    return TypedPiece(sum, function == .sum && piece.type.isWhole ? .number : .real)
  }

  package func ofRows(_ function: AggregateFunction, _ piece: TypedPiece) -> TypedPiece {
    let column: SQL = "\(name: function.sqlName ?? "")(\(piece.piece))"
    switch function {
    case .count: return TypedPiece(column, .integer)
    case .sum where piece.type == .decimal, .average where piece.type == .decimal:
      // SQLite's functions count the text `NaN`, which is greater than all numbers, as 0.
      return TypedPiece(
        "CASE WHEN MAX(\(piece.piece)) = 'NaN' THEN 'NaN' ELSE \(column) END",
        .decimal
      )
    case .sum, .average:
      return TypedPiece(column, piece.type.isWhole && function == .sum ? .number : .real)
    default: return TypedPiece(column, piece.type)
    }
  }
}

extension Unsayable {
  static func function(_ function: Function) -> Unsayable {
    Unsayable("the function \(function.spelling)")
  }
}
