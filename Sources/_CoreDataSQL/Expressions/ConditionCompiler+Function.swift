// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension ConditionCompiler {
  private static let aggregates: [String: String] = [
    "sum:": "SUM", "count:": "COUNT", "min:": "MIN", "max:": "MAX", "average:": "AVG",
  ]

  func function(_ selector: String, _ arguments: [Term], in scope: Scope) throws -> Operand {
    guard ExpressionFunction.arity[selector] == arguments.count else {
      throw unsupported("function \(selector)")
    }
    switch selector {
    case "now": return .constant(.date(Date().timeIntervalSinceReferenceDate))
    case "random", "random:", "randomn:", "distanceToLocation:fromLocation:":
      throw unsupported("function \(selector)")
    case "sum:", "count:", "min:", "max:", "average:":
      return try aggregate(selector, arguments[0], in: scope)
    case "objectFrom:withIndex:": return try element(arguments[0], arguments[1], in: scope)
    case "castObject:toType:": return try cast(arguments[0], arguments[1], in: scope)
    default: break
    }
    let operands = try arguments.map { try operand($0, in: scope) }
    let constants = operands.compactMap { if case .constant(let value) = $0 { value } else { nil } }
    if constants.count == operands.count {
      // What SQL cannot say is evaluated in memory, which raises the error.
      guard let value = try? ExpressionFunction.value(selector, constants) else {
        throw unsupported("function \(selector) of these constants")
      }
      return .constant(value)
    }
    if operands.count == 2 { return try binary(selector, operands[0], operands[1]) }
    return try unary(selector, operands[0])
  }

  // MARK: Arithmetic

  /// An operand of an arithmetic function.
  private struct Number {
    let piece: SQL
    let type: ValueType
    /// The value where it is constant.
    let constant: Value?
    var absent: SQL {
      guard let constant else { return type.absent(piece) }
      return constant.isNull ? "1" : "0"
    }
    var isComputed: Bool { type.isComputed }
    /// As SQL's operators on whole numbers need it.
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
    case .constant(let value):
      guard let type = ValueType(value), type.isNumber, type != .decimal,
        let bound = value.exactBinding
      else { break }
      return Number(piece: SQL([.value(bound)]), type: type, constant: value)
    case .members(let source): throw unsupported("arithmetic over \(source.path.keyPath)")
    default: break
    }
    throw unsupported("arithmetic with a value that is no number")
  }

  private func binary(_ selector: String, _ first: Operand, _ second: Operand) throws -> Operand {
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
    switch selector {
    case "add:to:": return plain("+")
    case "from:subtract:": return plain("-")
    case "multiply:by:": return plain("*")
    case "divide:by:":
      if let divisor = right.constant?.number, divisor != 0 { return plain("/") }
    case "modulus:by:":
      if right.constant?.truncated == 0 { throw unsupported("modulus by zero") }
      return bits("%")
    case "bitwiseAnd:with:": return bits("&")
    case "bitwiseOr:with:": return bits("|")
    case "leftshift:by:": return bits("<<")
    case "rightshift:by:": return bits(">>")
    case "bitwiseXor:with:":
      return try call(selector, [(left.piece, left.type), (right.piece, right.type)], .integer)
    case "raise:toPower:":
      // A power of what is no number can be a number.
      if left.isComputed || right.isComputed { throw unsupported("a power of an expression") }
    default: throw unsupported("function \(selector)")
    }
    return try call(
      selector,
      [(left.piece, left.type), (right.piece, right.type)],
      .computed(absent: absent)
    )
  }

  private func unary(_ selector: String, _ argument: Operand) throws -> Operand {
    switch selector {
    case "noindex:":
      guard case .column(let piece, let type) = argument else { return argument }
      return .column("+\(piece)", type)
    case "uppercase:", "lowercase:", "canonical:", "length:":
      guard case .column(let piece, .text) = argument else {
        throw unsupported("\(selector) of a value that is no string")
      }
      return try call(selector, [(piece, .text)], selector == "length:" ? .integer : .text)
    case "sqrt:", "log:", "ln:", "exp:":
      let value = try number(argument)
      return try call(selector, [(value.piece, value.type)], .computed(absent: value.absent))
    case "ceiling:", "floor:", "trunc:", "abs:":
      let value = try number(argument)
      let type: ValueType =
        value.isComputed ? .computed(absent: value.absent) : value.type == .real ? .real : .number
      return try call(selector, [(value.piece, value.type)], type)
    case "onesComplement:": return .column("(~\(try number(argument).whole))", .integer)
    default: throw unsupported("function \(selector)")
    }
  }

  /// A call of the core's own function, through the engine.
  private func call(
    _ selector: String,
    _ arguments: [(piece: SQL, type: ValueType)],
    _ type: ValueType
  ) throws -> Operand {
    guard let call = ValueCall(selector, arguments.map(\.type.kind)) else {
      throw unsupported("function \(selector)")
    }
    let pieces = arguments.map(\.piece).joined(separator: ", ")
    return .column("\(function: ValueCall.name)(\(name: String(call.code)), \(pieces))", type)
  }

  private func cast(_ term: Term, _ type: Term, in scope: Scope) throws -> Operand {
    guard case .constant(let name) = try operand(type, in: scope), case .text(let text) = name
    else { throw unsupported("CAST without the name of a class") }
    let kinds: [String: ValueType] = ["NSString": .text, "NSNumber": .number, "NSDate": .date]
    switch try operand(term, in: scope) {
    case .constant(let value):
      // As above.
      guard let cast = try? ExpressionFunction.value("castObject:toType:", [value, name]) else {
        break
      }
      return .constant(cast)
    case .column(let piece, let type):
      guard let kind = kinds[text], !type.isComputed, type.kind != .none, type != .decimal else {
        break
      }
      // Texts can say numbers that are none.
      if kind == .number, type == .text { break }
      return try call("castObject:toType:\(text)", [(piece, type)], kind)
    default: break
    }
    throw unsupported("CAST of this kind of value to \(text)")
  }

  // MARK: Collections

  /// `collection[SIZE]`; other elements are taken in memory.
  private func element(_ base: Term, _ index: Term, in scope: Scope) throws -> Operand {
    guard case .symbolicIndex(.size) = index,
      case .members(var source) = try operand(base, in: scope)
    else { throw unsupported("an element of a collection") }
    source.rest.append("@count")
    return try collected(source, at: source.rest.count - 1, in: scope)
  }

  private func aggregate(_ selector: String, _ term: Term, in scope: Scope) throws -> Operand {
    let argument = try operand(term, in: scope)
    if case .members(let source) = argument { return try collected(selector, source, in: scope) }
    guard allowsAggregates, let name = Self.aggregates[selector] else {
      throw unsupported("\(selector) outside of a dictionary")
    }
    guard case .column(let piece, let type) = argument else {
      throw unsupported("\(selector) of a constant")
    }
    let column: SQL = "\(name: name)(\(piece))"
    switch selector {
    case "min:", "max:":
      // The order of archives, of names of files and of numbers of entities says nothing.
      if type == .sealed || type == .entity {
        throw unsupported("\(selector) of what has no order")
      }
      return .column(column, type)
    case "count:": return .column(column, .integer)
    default:
      guard type.isNumber || type == .date || type == .any else {
        throw StoreError(.invalidRequest, "\(selector) of values that are no numbers")
      }
      return .column(column, type.isWhole && selector == "sum:" ? .number : .real)
    }
  }
}

/// The engine's function for the core's functions on values: `CDValue(code, arguments…)`.
///
/// It gives NULL where memory gives null, no number, or an error.
package struct ValueCall: Hashable, Sendable {
  package static let name = "CDValue"
  /// What memory makes of a column's value.
  package enum Kind: Int64, Sendable {
    case none, number, boolean, real, date, text, url, uuid, data
  }
  private static let selectors = [
    "divide:by:", "raise:toPower:", "bitwiseXor:with:", "sqrt:", "log:", "ln:", "exp:", "ceiling:",
    "floor:", "trunc:", "abs:", "uppercase:", "lowercase:", "canonical:", "length:",
    "castObject:toType:NSString", "castObject:toType:NSNumber", "castObject:toType:NSDate",
  ]
  /// A selector of `ExpressionFunction`, with the class's name where it casts.
  package let selector: String
  package let kinds: [Kind]

  private let index: Int

  /// Nil for a selector that the engine has no function for.
  package init?(_ selector: String, _ kinds: [Kind]) {
    guard let index = Self.selectors.firstIndex(of: selector) else { return nil }
    self.index = index
    self.selector = selector
    self.kinds = kinds
  }

  /// The selector and the kinds as one number, the first argument of the function.
  package var code: Int64 {
    kinds.reversed().reduce(0) { $0 << 4 | $1.rawValue } << 8 | Int64(index)
  }

  package init?(code: Int64, arguments: Int) {
    index = Int(code & 0xFF)
    guard code >= 0, Self.selectors.indices.contains(index) else { return nil }
    selector = Self.selectors[index]
    kinds = (0..<arguments).map { Kind(rawValue: code >> (8 + 4 * Int64($0)) & 0xF) ?? .none }
  }
}

extension ValueType {
  fileprivate var kind: ValueCall.Kind {
    switch self {
    case .integer, .number, .computed: .number
    case .boolean: .boolean
    case .real: .real
    case .date: .date
    case .text: .text
    case .url: .url
    case .uuid: .uuid
    case .data: .data
    case .decimal, .sealed, .reference, .entity, .any: .none
    }
  }
}
