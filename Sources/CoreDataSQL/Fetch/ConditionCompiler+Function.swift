// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataStore
import Foundation

extension ConditionCompiler {
  private static let arithmetic: [String: String] = [
    "add:to:": "+", "from:subtract:": "-", "multiply:by:": "*", "divide:by:": "/",
    "modulus:by:": "%",
  ]
  private static let aggregates: [String: String] = [
    "sum:": "SUM", "count:": "COUNT", "min:": "MIN", "max:": "MAX", "average:": "AVG",
  ]

  func function(_ selector: String, _ arguments: [Term], in scope: Scope) throws -> Operand {
    if let sign = Self.arithmetic[selector], arguments.count == 2 {
      let left = try number(arguments[0], in: scope)
      let right = try number(arguments[1], in: scope)
      return .column("(\(left) \(name: sign) \(right))", .number)
    }
    if selector == "now", arguments.isEmpty {
      return .constant(.date(Date().timeIntervalSinceReferenceDate))
    }
    if selector == "abs:", arguments.count == 1 {
      return .column("ABS(\(try number(arguments[0], in: scope)))", .number)
    }
    if let name = Self.aggregates[selector], arguments.count == 1 {
      return try aggregate(name, arguments[0], in: scope)
    }
    throw unsupported("function \(selector)")
  }

  private func number(_ term: Term, in scope: Scope) throws -> SQL {
    switch try operand(term, in: scope) {
    case .column(let piece, let type) where type == .number || type == .date || type == .any:
      return piece
    case .constant(let value):
      guard let bound = binding(value, for: .number) else { break }
      return SQL([.value(bound)])
    default: break
    }
    throw unsupported("arithmetic with a value that is no number")
  }

  private func aggregate(_ name: String, _ term: Term, in scope: Scope) throws -> Operand {
    if case .keyPath(let keyPath) = term, case .members(let path) = try scope.resolve(keyPath) {
      let operators = ["SUM": "@sum", "AVG": "@avg", "MIN": "@min", "MAX": "@max"]
      let rest = name == "COUNT" ? ["@count"] : [operators[name] ?? "@count"] + path.rest
      return try collected(
        MemberPath(
          ownerAlias: path.ownerAlias,
          members: path.members,
          entity: path.entity,
          isOrdered: path.isOrdered,
          rest: rest,
          keyPath: keyPath
        ),
        in: scope
      )
    }
    guard allowsAggregates else {
      throw unsupported("\(name.lowercased()): outside of a dictionary")
    }
    guard case .column(let piece, let type) = try operand(term, in: scope) else {
      throw unsupported("\(name.lowercased()): of a constant")
    }
    let keepsType = name == "MIN" || name == "MAX"
    return .column("\(name: name)(\(piece))", keepsType ? type : .number)
  }
}
