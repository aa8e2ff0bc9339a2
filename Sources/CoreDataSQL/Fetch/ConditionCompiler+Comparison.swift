// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataStore

extension ConditionCompiler {
  func comparison(_ comparison: Comparison, in scope: Scope) throws -> SQL {
    let left = try operand(comparison.left, in: scope)
    let right = try operand(comparison.right, in: scope)
    switch (comparison.modifier, left) {
    case (.any, .members(let path)), (.all, .members(let path)):
      return try members(path, comparison, right: right, in: scope)
    case (.any, .list(let items)), (.all, .list(let items)):
      let pieces = try items.map { try direct($0, comparison.relation, right, comparison.options) }
      if comparison.modifier == .any {
        return pieces.isEmpty ? "0" : "(\(pieces.joined(separator: " OR ")))"
      }
      return pieces.isEmpty ? "1" : "(\(pieces.joined(separator: " AND ")))"
    case (_, .members(let path)) where comparison.relation == .contains:
      var member = comparison
      member.relation = .equal
      member.modifier = .any
      return try members(path, member, right: right, in: scope)
    default: break
    }
    if case .members(let path) = right, comparison.relation == .in {
      let member = Comparison(
        comparison.right,
        .equal,
        comparison.left,
        modifier: .any,
        options: comparison.options
      )
      return try members(path, member, right: left, in: scope)
    }
    return try direct(left, comparison.relation, right, comparison.options)
  }

  /// A comparison whose sides hold no to-many.
  func direct(
    _ left: Operand,
    _ relation: Relation,
    _ right: Operand,
    _ options: TextOptions
  ) throws -> SQL {
    switch relation {
    case .equal: return try equal(left, right, options)
    case .notEqual:
      if options.isEmpty, let piece = try plainNotEqual(left, right) { return piece }
      return Self.not(try equal(left, right, options))
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return try ordered(left, relation, right, options)
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2 else {
        throw unsupported("BETWEEN needs two bounds")
      }
      let low = try ordered(left, .greaterThanOrEqual, bounds[0], options)
      let high = try ordered(left, .lessThanOrEqual, bounds[1], options)
      return "(\(low) AND \(high))"
    case .in:
      if case .list(let items) = right { return try isMember(left, of: items, options) }
      return try text(right, .contains, left, options)
    case .contains:
      if case .list(let items) = left { return try isMember(right, of: items, options) }
      return try text(left, .contains, right, options)
    case .beginsWith, .endsWith, .like, .matches: return try text(left, relation, right, options)
    case .customSelector: throw unsupported("custom selectors")
    }
  }

  // MARK: Equality

  private func equal(_ left: Operand, _ right: Operand, _ options: TextOptions) throws -> SQL {
    switch (left, right) {
    case (.column(let piece, let type), .constant(let value)),
      (.constant(let value), .column(let piece, let type)):
      if value.isNull { return "\(piece) IS NULL" }
      guard let bound = binding(value, for: type) else { return "0" }
      if !options.isEmpty, type == .text {
        return textCall(.equal, piece, SQL([.value(bound)]), options)
      }
      return "\(piece) = \(bind: bound)"
    case (.column(let one, let type), .column(let other, let otherType)):
      if !comparable(type, otherType) { return "(\(one) IS NULL AND \(other) IS NULL)" }
      if !options.isEmpty, type == .text {
        let call = textCall(.equal, one, other, options)
        return "(\(call) OR (\(one) IS NULL AND \(other) IS NULL))"
      }
      return "\(one) IS \(other)"
    case (.constant(let one), .constant):
      return try equal(column(one), right, options)
    case (.members(let path), _), (_, .members(let path)):
      throw StoreError(.invalidRequest, "to-many key not allowed here: \(path.keyPath)")
    case (.list, _), (_, .list): throw unsupported("a collection compared with =")
    }
  }

  private func plainNotEqual(_ left: Operand, _ right: Operand) throws -> SQL? {
    switch (left, right) {
    case (.column(let piece, let type), .constant(let value)),
      (.constant(let value), .column(let piece, let type)):
      if value.isNull { return "\(piece) IS NOT NULL" }
      guard let bound = binding(value, for: type) else { return "1" }
      return "\(piece) IS NOT \(bind: bound)"
    case (.column(let one, let type), .column(let other, let otherType)):
      return comparable(type, otherType) ? "\(one) IS NOT \(other)" : nil
    default: return nil
    }
  }

  private func comparable(_ one: ValueType, _ other: ValueType) -> Bool {
    one == other || one == .any || other == .any
      || Set([one, other]) == Set([.number, .date])
  }

  /// A constant as a column, for the rare comparison of two constants.
  func column(_ value: Value) throws -> Operand {
    if case .key(let key) = value {
      return .column(
        SQL([.value(.integer(key.number))]),
        .reference(root: layout.model.entities[key.entity].root)
      )
    }
    guard let bound = value.plainBinding else { throw unsupported("constant of this kind") }
    return .column(SQL([.value(bound)]), ValueType(value) ?? .any)
  }

  // MARK: Order

  private func ordered(
    _ left: Operand,
    _ relation: Relation,
    _ right: Operand,
    _ options: TextOptions
  ) throws -> SQL {
    let includesEqual = relation == .lessThanOrEqual || relation == .greaterThanOrEqual
    switch (left, right) {
    case (.constant(let value), .column):
      if value.isNull {
        return try includesEqual ? equal(right, left, []) : "0"
      }
      return try ordered(right, relation.mirrored, left, options)
    case (.constant(let value), .constant):
      return try ordered(column(value), relation, right, options)
    case (.column(let piece, let type), .constant(let value)):
      if value.isNull { return includesEqual ? "\(piece) IS NULL" : "0" }
      guard let bound = binding(value, for: type) else {
        throw unsupported("\(relation.symbol) between values of different types")
      }
      return compare(piece, relation, SQL([.value(bound)]), type, options)
    case (.column(let one, let type), .column(let other, let otherType)):
      if !comparable(type, otherType) {
        throw unsupported("\(relation.symbol) between values of different types")
      }
      let piece = compare(one, relation, other, type, options)
      return includesEqual ? "(\(piece) OR (\(one) IS NULL AND \(other) IS NULL))" : piece
    case (.members(let path), _), (_, .members(let path)):
      throw StoreError(.invalidRequest, "to-many key not allowed here: \(path.keyPath)")
    case (.list, _), (_, .list): throw unsupported("a collection compared by size")
    }
  }

  private func compare(
    _ left: SQL,
    _ relation: Relation,
    _ right: SQL,
    _ type: ValueType,
    _ options: TextOptions
  ) -> SQL {
    if options.isEmpty || type != .text { return "\(left) \(name: relation.symbol) \(right)" }
    return textCall(relation, left, right, options)
  }

  // MARK: Membership

  /// Up to so many members are bound one by one; more go into one list, so that texts stay few.
  private static let listLimit = 16

  private func isMember(
    _ left: Operand,
    of items: [Operand],
    _ options: TextOptions
  ) throws -> SQL {
    let constants = items.compactMap { item -> Value? in
      if case .constant(let value) = item { value } else { nil }
    }
    guard case .column(let piece, let type) = left, constants.count == items.count,
      options.isEmpty || type != .text
    else {
      let pieces = try items.map { try equal(left, $0, options) }
      return pieces.isEmpty ? "0" : "(\(pieces.joined(separator: " OR ")))"
    }
    let bound = constants.filter { !$0.isNull }.compactMap { binding($0, for: type) }
    let list = try listed(bound)
    if constants.contains(where: \.isNull) { return "(\(piece) IN \(list) OR \(piece) IS NULL)" }
    return "\(piece) IN \(list)"
  }

  private func listed(_ values: [Binding]) throws -> SQL {
    if values.count <= Self.listLimit {
      return "(\(values.map { SQL([.value($0)]) }.joined(separator: ", ")))"
    }
    if let list = JSONList.text(values) {
      return "(SELECT value FROM json_each(\(bind: .text(list))))"
    }
    if values.count > 30_000 { throw unsupported("IN with more than 30000 values of this type") }
    return "(\(values.map { SQL([.value($0)]) }.joined(separator: ", ")))"
  }
}

extension Relation {
  /// The operator that gives the same with the sides exchanged.
  var mirrored: Relation {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    default: self
    }
  }
  var symbol: String {
    switch self {
    case .lessThan: "<"
    case .lessThanOrEqual: "<="
    case .greaterThan: ">"
    case .greaterThanOrEqual: ">="
    default: "="
    }
  }
}
