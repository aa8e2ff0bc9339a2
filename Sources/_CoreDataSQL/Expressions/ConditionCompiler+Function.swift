// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension ConditionCompiler {
  /// Compiles a function call to an operand.
  ///
  /// - Throws: `StoreError.invalidRequest` for an invalid call; `.inexpressible` for a call that SQL cannot
  ///   express.
  func function(
    _ function: Function,
    _ arguments: [Term],
    in scope: Scope
  ) throws -> Operand {
    guard function.arity == arguments.count else {
      throw unsupported(
        "the function \(function.spelling) with "
          + "\(arguments.count == 1 ? "1 argument" : "\(arguments.count) arguments") instead of "
          + "\(function.arity)"
      )
    }
    switch function {
    case .now: return .constant(.date(Date().timeIntervalSinceReferenceDate))
    case .random, .distance, .numeric(.random), .numeric(.randomBelow): throw unsupported(function)
    case .element: return try element(arguments[0], arguments[1], in: scope)
    case .cast: return try cast(arguments[0], arguments[1], in: scope)
    case .aggregate(let aggregate):
      if let name = aggregate.sqlName {
        return try self.aggregate(aggregate, named: name, arguments[0], in: scope)
      }
      return try folded(function, arguments, in: scope) { _ in throw unsupported(function) }
    case .arithmetic(let arithmetic):
      return try folded(function, arguments, in: scope) { try binary(arithmetic, $0[0], $0[1]) }
    case .numeric(let numeric):
      return try folded(function, arguments, in: scope) { try unary(numeric, $0[0]) }
    case .text(let text):
      return try folded(function, arguments, in: scope) { try unary(text, $0[0]) }
    case .noIndex:
      return try folded(function, arguments, in: scope) { operands in
        guard case .column(let piece, let type) = operands[0] else { return operands[0] }
        return .column("+\(piece)", type)
      }
    }
  }

  private func unsupported(_ function: Function) -> StoreError {
    unsupported("the function \(function.spelling)")
  }

  private func folded(
    _ function: Function,
    _ arguments: [Term],
    in scope: Scope,
    _ compile: ([Operand]) throws -> Operand
  ) throws -> Operand {
    let operands = try arguments.map { try operand($0, in: scope) }
    let constants = operands.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    guard constants.count == operands.count else { return try compile(operands) }
    // If the function throws an error, the function is evaluated in memory, where it throws the same error.
    do {
      return .constant(try function.value(constants))
    } catch {
      throw unsupported(
        "the function \(function.spelling), which cannot be evaluated with its constant arguments: \(error)"
      )
    }
  }

  // MARK: Arithmetic

  private struct Number {
    let piece: SQL
    let type: ValueType
    let constant: Value?
    var absent: SQL {
      guard let constant else { return type.absent(piece) }
      return constant.isNull ? "1" : "0"
    }
    var isComputed: Bool { type.isComputed }
    /// The piece as an operand of SQL's integer operators, cast to an integer unless its type is already
    /// integral.
    var whole: SQL {
      type == .integer || type == .boolean ? piece : "CAST(\(piece) AS INTEGER)"
    }
  }

  private func number(_ operand: Operand) throws -> Number {
    switch operand {
    case .column(let piece, .date):
      return Number(piece: "CAST(\(piece) AS REAL)", type: .real, constant: nil)
    case .column(let piece, .any): return Number(piece: piece, type: .real, constant: nil)
    case .column(let piece, let type) where type.isNumber && type != .decimal:
      return Number(piece: piece, type: type, constant: nil)
    case .constant(.null): return Number(piece: "NULL", type: .number, constant: .null)
    case .column(_, .decimal), .constant(.decimal):
      throw unsupported("arithmetic with a decimal number, which SQL cannot calculate exactly")
    case .constant(let value):
      guard let type = ValueType(value), type.isNumber else { break }
      guard let bound = value.exactBinding else {
        throw unsupported(
          "arithmetic with \(CellText.line(value)), which SQL cannot represent exactly"
        )
      }
      return Number(piece: SQL([.value(bound)]), type: type, constant: value)
    case .members(let source):
      throw unsupported("arithmetic with the collection \(source.path.keyPath)")
    default: break
    }
    throw unsupported("arithmetic with \(operand.kindName), which is not a number")
  }

  private func binary(
    _ function: ArithmeticFunction,
    _ first: Operand,
    _ second: Operand
  ) throws -> Operand {
    let (left, right) = (try number(first), try number(second))
    let absent: SQL = "(\(left.absent) OR \(right.absent))"
    func plain(_ sign: String) -> Operand {
      let piece: SQL = "(\(left.piece) \(name: sign) \(right.piece))"
      let isWhole = left.type.isWhole && right.type.isWhole
      return .column(piece, isWhole ? .number : .computed(absent: absent))
    }
    func bits(_ sign: String) -> Operand {
      .column("(\(left.whole) \(name: sign) \(right.whole))", .integer)
    }
    func called(_ type: ValueType) throws -> Operand {
      try call(
        .arithmetic(function),
        [(left.piece, left.type), (right.piece, right.type)],
        type
      )
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
        throw unsupported("modulus by a constant whose integer part is zero")
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
        throw unsupported("a power whose base or exponent is a computed number that can be NaN")
      }
      return try called(.computed(absent: absent))
    }
  }

  private func unary(_ function: TextFunction, _ argument: Operand) throws -> Operand {
    guard case .column(let piece, .text) = argument else {
      throw unsupported(
        "\(Function.text(function).spelling) of \(argument.kindName), which is not a string"
      )
    }
    let type: ValueType =
      switch function {
      case .uppercase, .lowercase, .canonical: .text
      case .length: .integer
      }
    return try call(.text(function), [(piece, .text)], type)
  }

  private func unary(_ function: NumericFunction, _ argument: Operand) throws -> Operand {
    let value = try number(argument)
    let type: ValueType
    switch function {
    case .squareRoot, .logarithm, .naturalLogarithm, .exponential:
      type = .computed(absent: value.absent)
    case .ceiling, .floor, .truncation, .absolute:
      type =
        value.isComputed ? .computed(absent: value.absent) : value.type == .real ? .real : .number
    case .onesComplement: return .column("(~\(value.whole))", .integer)
    case .random, .randomBelow: throw unsupported(.numeric(function))
    }
    return try call(.numeric(function), [(value.piece, value.type)], type)
  }

  /// Returns a call of `CDValue`, the SQL function that evaluates `function` with the same code as in memory.
  private func call(
    _ function: Function,
    _ arguments: [(piece: SQL, type: ValueType)],
    _ type: ValueType
  ) throws -> Operand {
    guard let call = ValueCall(function, arguments.map(\.type.callKind)) else {
      throw unsupported(function)
    }
    let pieces = arguments.map(\.piece).joined(separator: ", ")
    return .column("\(function: ValueCall.name)(\(name: String(call.code)), \(pieces))", type)
  }

  private func cast(_ term: Term, _ type: Term, in scope: Scope) throws -> Operand {
    guard case .constant(let name) = try operand(type, in: scope), case .text(let text) = name
    else { throw unsupported("CAST without the name of a class") }
    let types: [String: ValueType] = ["NSString": .text, "NSNumber": .number, "NSDate": .date]
    switch try operand(term, in: scope) {
    case .constant(let value):
      // If the cast throws an error, the cast is evaluated in memory, where it throws the same error.
      guard let cast = try? Function.cast.value([value, name]) else { break }
      return .constant(cast)
    case .column(let piece, let type):
      guard let target = types[text], !type.isComputed, type.callKind != .none, type != .decimal
      else { break }
      // A text such as “nan” becomes NaN, which SQLite cannot represent.
      if target == .number, type == .text { break }
      // The name is one of the three class names above, so it needs no escaping.
      return try call(.cast, [(piece, type), (SQL([.text("'\(text)'")]), .text)], target)
    case .list, .members: break
    }
    throw unsupported("CAST of \(term.format) to \(text)")
  }

  // MARK: Collections

  /// Compiles `relationship[SIZE]` of a to-many; throws `.inexpressible` for any other index or collection.
  private func element(_ base: Term, _ index: Term, in scope: Scope) throws -> Operand {
    guard case .symbolicIndex(.size) = index else {
      throw unsupported("an element of the collection \(base.format)")
    }
    guard case .members(var source) = try operand(base, in: scope) else {
      throw unsupported("the size of \(base.format), which is not a to-many relationship")
    }
    source.rest.append("@count")
    return try operatorValue(of: source, at: source.rest.count - 1, in: scope)
  }

  private func aggregate(
    _ function: AggregateFunction,
    named name: String,
    _ term: Term,
    in scope: Scope
  ) throws -> Operand {
    let argument = try operand(term, in: scope)
    if case .members(let source) = argument {
      return try memberAggregate(function, source, in: scope)
    }
    guard allowsAggregates else {
      throw unsupported(
        function,
        "of \(term.format), which is not a to-many relationship; outside propertiesToFetch and "
          + "havingPredicate, SQL computes only aggregates of to-many relationships"
      )
    }
    guard case .column(let piece, let type) = argument else {
      throw unsupported(function, "of \(term.format), which is a constant or a list")
    }
    let column: SQL = "\(name: name)(\(piece))"
    switch function {
    case .minimum, .maximum:
      // Archived values, references to external files, and entity numbers have no meaningful order.
      if type == .sealed || type == .entity {
        throw unsupported(function, "of \(term.format), whose values have no order")
      }
      return .column(column, type)
    case .count: return .column(column, .integer)
    case .sum, .average:
      guard type.isNumber || type == .date || type == .any else {
        throw StoreError(
          .invalidRequest,
          "\(Function.aggregate(function).spelling) needs numbers, but the values of "
            + "\(term.format) are not numbers"
        )
      }
      // SQLite's functions count the text `NaN`, which is greater than all numbers, as 0.
      if type == .decimal {
        return .column("CASE WHEN MAX(\(piece)) = 'NaN' THEN 'NaN' ELSE \(column) END", .decimal)
      }
      return .column(column, type.isWhole && function == .sum ? .number : .real)
    case .median, .mode, .standardDeviation: throw unsupported(.aggregate(function))
    }
  }
}

extension AggregateFunction {
  fileprivate var sqlName: String? {
    switch self {
    case .sum: "SUM"
    case .count: "COUNT"
    case .average: "AVG"
    case .minimum: "MIN"
    case .maximum: "MAX"
    case .median, .mode, .standardDeviation: nil
    }
  }
}
