// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate
import CoreDataStore

extension ConditionCompiler {
  /// ANY → EXISTS a member for which it holds; ALL → no member for which it does not.
  func members(
    _ path: MemberPath,
    _ comparison: Comparison,
    right: Operand,
    in scope: Scope
  ) throws -> SQL {
    let inner = Scope(path.entity, compiler: self, parent: scope)
    let rest = path.rest.joined(separator: ".")
    let left = try operand(rest.isEmpty ? .evaluatedObject : .keyPath(rest), in: inner)
    let isAll = comparison.modifier == .all
    var piece: SQL
    var present: SQL?
    if case .members(let further) = left {
      piece = try members(further, comparison, right: right, in: inner)
    } else {
      piece = try direct(left, comparison.relation, right, comparison.options)
      // The set of a key's values holds no nil; an ordered set's does.
      if case .column(let value, _) = left, !rest.isEmpty, !path.isOrdered {
        present = "\(value) IS NOT NULL"
      }
    }
    if isAll { piece = Self.not(piece) }
    if let present { piece = "\(present) AND \(piece)" }
    let exists = select("1", path, inner, where: piece)
    return isAll ? "NOT EXISTS (\(exists))" : "EXISTS (\(exists))"
  }

  /// A subselect over the members of `path`, whose rows `inner` names.
  private func select(
    _ columns: SQL,
    _ path: MemberPath,
    _ inner: Scope,
    where condition: SQL?
  ) -> SQL {
    let members = path.members
    var piece: SQL
    if members.isJoin {
      let pair = nextAlias()
      piece = """
        SELECT \(columns) FROM \(name: members.table) AS \(name: pair) \
        JOIN \(inner.source) \
        ON \(name: inner.alias).Z_PK = \(name: pair).\(name: members.memberColumn)
        """
      // The join's ON must follow its table directly, before the joins of key paths.
      if !inner.joins.isEmpty {
        let table = layout.entities[inner.entity.index].table
        piece = """
          SELECT \(columns) FROM \(name: members.table) AS \(name: pair) \
          JOIN \(name: table) AS \(name: inner.alias) \
          ON \(name: inner.alias).Z_PK = \(name: pair).\(name: members.memberColumn) \
          \(inner.joins.joined(separator: " "))
          """
      }
      piece.append(
        " WHERE \(name: pair).\(name: members.ownerColumn) = \(name: path.ownerAlias).Z_PK"
      )
    } else {
      piece = """
        SELECT \(columns) FROM \(inner.source) \
        WHERE \(name: inner.alias).\(name: members.ownerColumn) = \(name: path.ownerAlias).Z_PK
        """
    }
    if let condition { piece.append(" AND \(condition)") }
    return piece
  }

  // MARK: Collection operators

  /// `rel.@count`, `rel.@sum.key`, `rel.@min.key`, `rel.@max.key`, `rel.@avg.key`.
  func collected(_ path: MemberPath, in scope: Scope) throws -> Operand {
    let inner = Scope(path.entity, compiler: self, parent: scope)
    guard let first = path.rest.first else { throw unsupported(path.keyPath) }
    if first == "@count", path.rest.count == 1 {
      return .column("(\(select("COUNT(*)", path, inner, where: nil)))", .number)
    }
    let rest = path.rest.dropFirst().joined(separator: ".")
    guard !rest.isEmpty,
      case .column(let piece, let type) = try operand(.keyPath(rest), in: inner)
    else { throw unsupported(path.keyPath) }
    return try aggregate(first, of: piece, type, path: path, inner)
  }

  private func aggregate(
    _ function: String,
    of piece: SQL,
    _ type: ValueType,
    path: MemberPath,
    _ inner: Scope
  ) throws -> Operand {
    let columns: SQL
    switch function {
    case "@sum": columns = "IFNULL(SUM(\(piece)), 0)"
    case "@avg": columns = "IFNULL(AVG(\(piece)), 0)"
    case "@min": columns = "MIN(\(piece))"
    case "@max": columns = "MAX(\(piece))"
    default: throw unsupported(path.keyPath)
    }
    return .column("(\(select(columns, path, inner, where: nil)))", type)
  }

  /// The number of members for which a condition holds: `SUBQUERY(source, $variable, condition).@count`.
  func subquery(
    _ source: Term,
    _ variable: String,
    _ condition: Condition,
    keyPath: String,
    in scope: Scope
  ) throws -> Operand {
    guard keyPath == "@count", case .members(let path) = try operand(source, in: scope),
      path.rest.isEmpty
    else { throw unsupported("SUBQUERY other than over a to-many with @count") }
    let inner = Scope(path.entity, compiler: self, parent: scope, variable: variable)
    let piece = try self.condition(condition, in: inner)
    return .column("(\(select("COUNT(*)", path, inner, where: "(\(piece))")))", .number)
  }
}
