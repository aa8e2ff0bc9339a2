// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A key path up to its first to-many.
struct MemberPath {
  let ownerAlias: String
  /// Whether the owner can be missing, because the key path reaches it through a to-one that can be nil.
  let ownerIsOptional: Bool
  let members: MemberLayout
  let entity: EntityDefinition
  let isOrdered: Bool
  let keyPath: String
  /// The entity from which the key path starts.
  let start: EntityDefinition
}

/// The members of a to-many, and the keys that are read from the members; subqueries may restrict the
/// members.
struct MemberSource {
  let path: MemberPath
  /// The keys after the to-many, which are read from the members.
  var rest: [String]
  /// The scope of the members' table in the subqueries, and the condition of the subqueries on a member; nil
  /// without a subquery.
  var chosen: (scope: Scope, condition: SQL)?

  /// Whether duplicate values and null are left out, because a key is read from the members of an unordered
  /// to-many.
  var isDistinct: Bool { !path.isOrdered && !rest.isEmpty }
}

extension ConditionCompiler {
  func scope(of source: MemberSource, in scope: Scope) -> Scope {
    source.chosen?.scope ?? Scope(source.path.entity, compiler: self, parent: scope)
  }

  /// Returns a subselect of `columns` from the members of `source` for which `condition` is true.
  ///
  /// `inner` is the scope of the members' table.
  func select(_ columns: SQL, _ source: MemberSource, _ inner: Scope, where condition: SQL?) -> SQL
  {
    let members = source.path.members
    let owner = source.path.ownerAlias
    var piece: SQL
    if members.isJoin {
      let pair = nextAlias()
      let table = layout.entities[inner.entity.index].table
      // The ON clause must follow the joined table directly, before the joins of key paths.
      piece = """
        SELECT \(columns) FROM \(name: members.table) AS \(name: pair) \
        JOIN \(name: table) AS \(name: inner.alias) \
        ON \(column: self.columns.key, of: inner.alias) = \(name: pair).\(name: members.memberColumn)
        """
      if !inner.joins.isEmpty { piece.append(" \(inner.joins.joined(separator: " "))") }
      piece.append(
        " WHERE \(name: pair).\(name: members.ownerColumn) = \(column: self.columns.key, of: owner)"
      )
    } else {
      piece = """
        SELECT \(columns) FROM \(inner.source) \
        WHERE \(name: inner.alias).\(name: members.ownerColumn) = \(column: self.columns.key, of: owner)
        """
    }
    if let chosen = source.chosen { piece.append(" AND \(chosen.condition)") }
    if let condition { piece.append(" AND \(condition)") }
    return piece.with(.hasSubselect)
  }

  // MARK: Membership

  /// Compiles ANY as “a member exists for which the comparison is true”, and ALL as “no member exists for
  /// which the comparison is not true”.
  ///
  /// If keys follow an unordered to-many, members with a nil value are left out.
  func members(
    _ source: MemberSource,
    _ comparison: Comparison,
    right: Operand,
    in scope: Scope
  ) throws -> SQL {
    let inner = self.scope(of: source, in: scope)
    let left = try keyPathOperand(source.rest, in: inner)
    let isAll = comparison.modifier == .all
    var piece: SQL
    var present: SQL?
    if case .members(let further) = left {
      if source.path.isOrdered, further.path.ownerIsOptional {
        throw unsupported(
          "the key path \(source.path.keyPath), which leads from an ordered to-many relationship through a "
            + "to-one relationship that can be nil to another to-many relationship"
        )
      }
      piece = try members(further, comparison, right: right, in: inner)
    } else {
      piece = try direct(left, comparison.relation, right, options: comparison.options)
      if case .column(let value, let type) = left, source.isDistinct {
        if !type.isPlain {
          throw unsupported("\(source.path.keyPath), a computed number that can be NaN")
        }
        present = "\(value) IS NOT NULL"
      }
    }
    if isAll { piece = SQL.not(piece) }
    if let present { piece = "\(present) AND \(piece)" }
    let exists = select("1", source, inner, where: piece)
    return isAll ? "NOT EXISTS (\(exists))" : "EXISTS (\(exists))"
  }

  func isNested(_ source: MemberSource) throws -> Bool {
    if source.rest.isEmpty { return false }
    let probe = Scope(source.path.entity, compiler: self)
    if case .members = try keyPathOperand(source.rest, in: probe) { return true }
    return false
  }

  func membership(
    of element: Operand,
    in source: MemberSource,
    _ options: TextOptions,
    _ scope: Scope
  ) throws -> SQL {
    switch element {
    case .members, .list: throw unsupported("a collection as a member of a collection")
    default: break
    }
    // If the keys lead through another to-many, the value of each member in memory is a collection, which
    // never equals the element.
    if try isNested(source) {
      throw unsupported("membership in \(source.path.keyPath), a collection of collections")
    }
    let comparison = Comparison(
      .evaluatedObject,
      .equal,
      .evaluatedObject,
      modifier: .any,
      options: options
    )
    return try members(source, comparison, right: element, in: scope)
  }

  // MARK: Collection operators

  /// Compiles `rel.@count`, `rel.@sum.key`, `rel.@min.key`, `rel.@max.key` and `rel.@avg.key`.
  ///
  /// `at` is the index of the operator in `source.rest`.
  func operatorValue(of source: MemberSource, at: Int, in scope: Scope) throws -> Operand {
    let name = source.rest[at]
    let following = Array(source.rest[(at + 1)...])
    var members = source
    members.rest = Array(source.rest[..<at])
    let isOptional = source.path.ownerIsOptional && source.chosen == nil
    if name == "@count" {
      guard following.isEmpty else {
        throw unsupported("the key path \(source.path.keyPath), which continues after @count")
      }
      return guarded(
        try count(members, in: scope),
        .integer,
        by: isOptional ? source.path.ownerAlias : nil
      )
    }
    guard let function = AggregateFunction(keyPathOperator: name) else {
      throw unsupported("the collection operator \(name) in the key path \(source.path.keyPath)")
    }
    if following.isEmpty {
      throw unsupported("the key path \(source.path.keyPath) without a key after \(name)")
    }
    // In memory, reading a key from the members of a set removes duplicates before the operator reads its own
    // key; a subselect would keep the duplicates.
    if !members.rest.isEmpty, !source.path.isOrdered, !function.ignoresRepetition {
      throw unsupported(
        "the key path \(source.path.keyPath), in which keys lie between an unordered to-many relationship "
          + "and \(name)"
      )
    }
    let inner = self.scope(of: source, in: scope)
    guard
      case .column(let piece, let type) = try keyPathOperand(members.rest + following, in: inner)
    else { throw nested(source) }
    let result = try aggregate(function, of: piece, type, source.path.keyPath)
    let selected: SQL = "(\(select(result.piece, source, inner, where: nil)))"
    let alias = function == .sum && isOptional ? source.path.ownerAlias : nil
    return guarded(selected, result.type, by: alias)
  }

  private func guarded(_ piece: SQL, _ type: ValueType, by alias: String?) -> Operand {
    guard let alias else { return .column(piece, type) }
    return .column("CASE WHEN \(primaryKey(alias)) IS NULL THEN NULL ELSE \(piece) END", type)
  }

  /// Returns the number of members, or of their values if keys follow the to-many.
  ///
  /// The values of an unordered to-many are counted without nil and duplicates.
  private func count(_ source: MemberSource, in scope: Scope) throws -> SQL {
    let inner = self.scope(of: source, in: scope)
    guard source.isDistinct else {
      if !source.rest.isEmpty, case .members = try keyPathOperand(source.rest, in: inner) {
        throw nested(source)
      }
      return "(\(select("COUNT(*)", source, inner, where: nil)))"
    }
    guard case .column(let piece, _) = try keyPathOperand(source.rest, in: inner) else {
      throw nested(source)
    }
    return "(\(select("COUNT(DISTINCT \(piece))", source, inner, where: nil)))"
  }

  private func nested(_ source: MemberSource) -> StoreError {
    unsupported(
      "an aggregate of \(source.path.keyPath), which leads through more than one to-many relationship"
    )
  }

  /// Compiles aggregates such as `sum:(rel.key)`; if the to-many is unordered, they ignore nil and
  /// duplicates.
  func memberAggregate(
    _ function: AggregateFunction,
    _ source: MemberSource,
    in scope: Scope
  ) throws -> Operand {
    if source.rest.contains(where: { $0.hasPrefix("@") }) {
      throw unsupported(function, "of \(source.path.keyPath), which has a collection operator")
    }
    if function == .count {
      if try isNested(source) { throw nested(source) }
      return .column(try count(source, in: scope), .integer)
    }
    guard !source.rest.isEmpty else {
      throw unsupported(function, "of \(source.path.keyPath), whose members are objects")
    }
    let inner = self.scope(of: source, in: scope)
    guard case .column(let piece, let type) = try keyPathOperand(source.rest, in: inner) else {
      throw nested(source)
    }
    let isDistinct = source.isDistinct && !function.ignoresRepetition
    let result = try aggregate(
      function,
      of: piece,
      type,
      source.path.keyPath,
      distinct: isDistinct
    )
    let present: SQL? = source.isDistinct ? "\(piece) IS NOT NULL" : nil
    return .column("(\(select(result.piece, source, inner, where: present)))", result.type)
  }

  /// Returns an aggregate over a column of the members, with the type of its result.
  ///
  /// Sums and averages are equal to those computed in memory.
  /// - Throws: `.inexpressible` for an aggregate or a column type that only the evaluation in memory
  ///   supports.
  private func aggregate(
    _ function: AggregateFunction,
    of piece: SQL,
    _ type: ValueType,
    _ keyPath: String,
    distinct: Bool = false
  ) throws -> TypedPiece {
    switch type {
    case .sealed, .reference, .any, .entity:
      throw unsupported(function, "of \(keyPath), each value of which is \(type.kindName)")
    case .computed, .mixed:
      throw unsupported(function, "of \(keyPath), a computed number that can be NaN")
    case .integer, .boolean, .real, .decimal, .number, .date, .text, .url, .uuid, .data: break
    }
    switch function {
    case .minimum, .maximum: break
    case .sum, .average:
      guard type.isNumber else {
        throw unsupported(function, "of \(keyPath), whose values are not numbers")
      }
    case .count, .median, .mode, .standardDeviation:
      throw unsupported(function, "of the members of \(keyPath)")
    }
    if function == .sum || function == .average { isUncertain = true }
    return try asked { () throws(Unsayable) in
      try dialect.ofMembers(function, TypedPiece(piece, type), distinct: distinct, bound: bound)
    }
  }
}

extension AggregateFunction {
  fileprivate var ignoresRepetition: Bool {
    switch self {
    case .minimum, .maximum: true
    case .sum, .count, .average, .median, .mode, .standardDeviation: false
    }
  }
}
