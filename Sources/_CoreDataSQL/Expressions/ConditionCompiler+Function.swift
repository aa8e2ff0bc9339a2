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
      if aggregate.sqlName != nil {
        return try self.aggregate(aggregate, arguments[0], in: scope)
      }
      return try folded(function, arguments, in: scope) { _ in throw unsupported(function) }
    case .arithmetic(let arithmetic):
      return try folded(function, arguments, in: scope) { operands in
        let (left, right) = (try number(operands[0]), try number(operands[1]))
        return try column { () throws(Unsayable) in
          try dialect.arithmetic(arithmetic, left, right)
        }
      }
    case .numeric(let numeric):
      return try folded(function, arguments, in: scope) { operands in
        let value = try number(operands[0])
        return try column { () throws(Unsayable) in try dialect.numeric(numeric, value) }
      }
    case .text(let text):
      return try folded(function, arguments, in: scope) { try unary(text, $0[0]) }
    case .noIndex:
      return try folded(function, arguments, in: scope) { operands in
        guard case .column(let piece, let type) = operands[0] else { return operands[0] }
        return .column(dialect.unindexed(TypedPiece(piece, type)), type)
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

  private func column(_ body: () throws(Unsayable) -> TypedPiece) throws -> Operand {
    let made = try asked(body)
    return .column(made.piece, made.type)
  }

  private func number(_ operand: Operand) throws -> Number {
    switch operand {
    case .constant(.null):
      return Number(piece: "NULL", type: .number, constant: .null, absent: always)
    case .column(_, .decimal), .constant(.decimal):
      throw unsupported("arithmetic with a decimal number, which SQL cannot calculate exactly")
    case .column(let piece, let type):
      guard let number = dialect.number(TypedPiece(piece, type)) else { break }
      return Number(
        piece: number.piece,
        type: number.type,
        constant: nil,
        absent: number.absent
      )
    case .constant(let value):
      guard let type = ValueType(value), type.isNumber else { break }
      guard let exact = dialect.exact(value) else {
        throw unsupported(
          "arithmetic with \(CellText.line(value)), which SQL cannot represent exactly"
        )
      }
      return Number(piece: exact, type: type, constant: value, absent: never)
    case .members(let source):
      throw unsupported("arithmetic with the collection \(source.path.keyPath)")
    default: break
    }
    throw unsupported("arithmetic with \(operand.kindName), which is not a number")
  }

  private func unary(_ function: TextFunction, _ argument: Operand) throws -> Operand {
    guard case .column(let piece, .text) = argument else {
      throw unsupported(
        "\(Function.text(function).spelling) of \(argument.kindName), which is not a string"
      )
    }
    return try column { () throws(Unsayable) in try dialect.text(function, piece) }
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
      guard let target = types[text],
        let made = dialect.cast(TypedPiece(piece, type), to: target, named: text)
      else { break }
      return .column(made.piece, made.type)
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
    _ term: Term,
    in scope: Scope
  ) throws -> Operand {
    let outer = isInAggregate
    isInAggregate = true
    defer { isInAggregate = outer }
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
    switch function {
    case .minimum, .maximum:
      // Archived values, references to external files, and entity numbers have no meaningful order.
      if type == .sealed || type == .entity {
        throw unsupported(function, "of \(term.format), whose values have no order")
      }
    case .count: break
    case .sum, .average:
      guard type.isNumber || type == .date || type == .any else {
        throw StoreError(
          .invalidRequest,
          "\(Function.aggregate(function).spelling) needs numbers, but the values of "
            + "\(term.format) are not numbers"
        )
      }
    case .median, .mode, .standardDeviation: throw unsupported(.aggregate(function))
    }
    rowAggregates += 1
    return try self.column { () throws(Unsayable) in
      try dialect.ofRows(function, TypedPiece(piece, type))
    }
  }
}

extension AggregateFunction {
  /// The name of the function in SQL; nil if SQL has no such function.
  var sqlName: String? {
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
