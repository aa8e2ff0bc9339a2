// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataStore

/// Conditions and terms → SQL with the meaning they have in memory.
///
/// A piece for a condition may give NULL where the condition is false; `not` makes it definite, so
/// that rows with NULL are lost nowhere.
final class ConditionCompiler {
  let layout: Layout
  let storeIndex: Int
  /// Expressions of dictionary columns by name, for HAVING and ORDER BY.
  var named: [String: (SQL, ValueType)] = [:]
  /// Whether `sum:` and its like aggregate the rows of the statement.
  var allowsAggregates = false
  private var aliases = 0

  init(layout: Layout, storeIndex: Int) {
    self.layout = layout
    self.storeIndex = storeIndex
  }

  func nextAlias() -> String {
    defer { aliases += 1 }
    return "t\(aliases)"
  }

  func unknown(_ keyPath: String, in entity: EntityDefinition) -> StoreError {
    StoreError(
      .invalidRequest,
      "keypath \(keyPath) not found in entity "
        + "<NSSQLEntity \(entity.name) id=\(layout.entities[entity.index].number)>"
    )
  }

  func unsupported(_ what: String) -> StoreError {
    StoreError(.invalidRequest, "unimplemented SQL generation for predicate: \(what)")
  }

  // MARK: Conditions

  func condition(_ condition: Condition, in scope: Scope) throws -> SQL {
    switch condition {
    case .constant(let flag): return flag ? "1" : "0"
    case .and(let parts): return try joined(parts, with: " AND ", none: "1", in: scope)
    case .or(let parts): return try joined(parts, with: " OR ", none: "0", in: scope)
    case .not(let part): return Self.not(try self.condition(part, in: scope))
    case .comparison(let comparison): return try self.comparison(comparison, in: scope)
    case .opaque:
      throw StoreError(
        .invalidRequest,
        "Problem with subpredicate BLOCKPREDICATE: a store cannot run it"
      )
    }
  }

  private func joined(
    _ parts: [Condition],
    with separator: String,
    none: SQL,
    in scope: Scope
  ) throws -> SQL {
    let pieces = try parts.map { try condition($0, in: scope) }
    if pieces.isEmpty { return none }
    if pieces.count == 1 { return pieces[0] }
    return "(\(pieces.joined(separator: separator)))"
  }

  static func not(_ piece: SQL) -> SQL { "((\(piece)) IS NOT TRUE)" }

  // MARK: Terms

  func operand(_ term: Term, in scope: Scope) throws -> Operand {
    switch term {
    case .constant(let constant):
      if let members = constant.value.members { return .list(members.map(Operand.constant)) }
      return .constant(constant.value)
    case .evaluatedObject: return reference(alias: scope.alias, column: nil, entity: scope.entity)
    case .keyPath(let keyPath): return try operand(keyPath, in: scope)
    case .aggregate(let terms): return .list(try terms.map { try operand($0, in: scope) })
    case .variable(let name): return try operand(variable: name, rest: nil, in: scope)
    case .keyPathOf(.evaluatedObject, let keyPath): return try operand(keyPath, in: scope)
    case .keyPathOf(.variable(let name), let keyPath):
      return try operand(variable: name, rest: keyPath, in: scope)
    case .keyPathOf(.subquery(let source, let variable, let condition), let keyPath):
      return try subquery(source, variable, condition, keyPath: keyPath, in: scope)
    case .function(let selector, let arguments, let target):
      if target != nil { throw unsupported("FUNCTION(…, \"\(selector)\")") }
      return try function(selector, arguments, in: scope)
    default: throw unsupported("expression \(term)")
    }
  }

  private func operand(_ keyPath: String, in scope: Scope) throws -> Operand {
    if scope.parent == nil, let known = named[keyPath], scope.entity.slotByName[keyPath] == nil {
      return .column(known.0, known.1)
    }
    switch try scope.resolve(keyPath) {
    case .attribute(let alias, let column):
      return .column(
        SQL([.text("\(alias).\(column.name)")]),
        ValueType(column.kind, root: 0)
      )
    case .object(let alias, let column, let entity):
      return reference(alias: alias, column: column, entity: entity)
    case .members(let path):
      if path.rest.contains(where: { $0.hasPrefix("@") }) { return try collected(path, in: scope) }
      return .members(path)
    }
  }

  private func reference(
    alias: String,
    column: PropertyColumn?,
    entity: EntityDefinition
  ) -> Operand {
    .column(
      SQL([.text("\(alias).\(column?.name ?? "Z_PK")")]),
      .reference(root: entity.root)
    )
  }

  private func operand(variable: String, rest: String?, in scope: Scope) throws -> Operand {
    var candidate: Scope? = scope
    while let current = candidate {
      if current.variable == variable {
        guard let rest else {
          return reference(alias: current.alias, column: nil, entity: current.entity)
        }
        return try operand(rest, in: current)
      }
      candidate = current.parent
    }
    if rest == nil, let known = named[variable] { return .column(known.0, known.1) }
    throw StoreError(.invalidRequest, "Can't get value for variable $\(variable)")
  }

  // MARK: Constants

  /// The binding of a constant compared with a column; nil where the two are never equal.
  func binding(_ value: Value, for type: ValueType) -> Binding? {
    switch (type, value) {
    case (_, .null): return .null
    case (.reference(let root), .key(let key)): return binding(key, root: root)
    case (.reference(let root), .object(let object)):
      return object.objectKey.flatMap { binding($0, root: root) }
    case (.date, .int(let number)): return .double(Double(number))
    case (.date, .double(let number)): return .double(number)
    case (.any, _): return value.plainBinding
    default: return ValueType(value) == type ? value.plainBinding : nil
    }
  }

  private func binding(_ key: ObjectKey, root: Int) -> Binding? {
    guard !key.isTemporary, key.store == storeIndex, key.entity < layout.model.entities.count,
      layout.model.entities[key.entity].root == root
    else { return nil }
    return .integer(key.number)
  }
}
