// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A compiler that translates fetch descriptions to SQL statements.
package struct FetchPlanner: Sendable {
  package let layout: Layout
  package let storeIndex: Int
  /// The source of each entity's rows, by entity index.
  package let sources: [RowSource]
  /// Whether statements may pass their rows to an aggregate (`RowCollection`).
  package private(set) var collects: Bool

  package init(layout: Layout, storeIndex: Int, collects: Bool = false) {
    self.layout = layout
    self.storeIndex = storeIndex
    self.collects = collects
    sources = layout.model.entities.map { RowSource(entity: $0, layout: layout) }
  }

  /// A copy of the planner that does not collect rows: its statements return one row per `sqlite3_step`.
  package var steppingOnly: FetchPlanner {
    var planner = self
    planner.collects = false
    return planner
  }

  func entity(at index: Int) throws -> EntityDefinition {
    if layout.model.entities.indices.contains(index) { return layout.model.entities[index] }
    throw StoreError(
      .invalidRequest,
      "the request's entity has the index \(index), but the store's model has no entity with this index. "
        + "Use an entity of the coordinator's model"
    )
  }

  /// Returns the statement that performs the fetch, and the form of its rows.
  ///
  /// - Throws: `StoreError.invalidRequest` if the fetch is invalid for the model; `.inexpressible` if SQL
  ///   cannot express it.
  package func plan(_ description: FetchDescription) throws -> FetchPlan {
    var draft = try SelectDraft(description, planner: self)
    for stage in SelectDraft.stages { try stage(&draft) }
    return FetchPlan(
      statement: layout.dialect.statement(draft.sql),
      reading: draft.reading,
      sorter: draft.sorter
    )
  }

  /// Divides a fetch into the part that a statement can express and the part that is left to the caller.
  ///
  /// Each operand of a top-level AND goes to one of the two parts; any other condition goes to one part as a
  /// whole.
  /// - Throws: `StoreError.invalidRequest` if the fetch is invalid for the model.
  package func divided(_ description: FetchDescription) throws -> DividedFetch {
    let entity = layout.model.entities[description.entity]
    func canExpress(_ body: (ConditionCompiler, Scope) throws -> Void) throws -> Bool {
      let compiler = ConditionCompiler(layout: layout, storeIndex: storeIndex)
      return try DividedFetch.canExpress {
        try body(compiler, Scope(root: entity, compiler: compiler))
      }
    }
    let expressesOrder = try canExpress { compiler, scope in
      for key in description.order { _ = try compiler.order(key, in: scope) }
    }
    // All conjuncts go into one statement, so the limits of a statement apply to all conjuncts together.
    var allowance = StatementAllowance()
    var parts = try DividedFetch(description, expressesOrder: expressesOrder) { condition in
      try canExpress { compiler, scope in
        _ = try compiler.statementCondition(
          condition,
          in: scope,
          within: &allowance,
          leaving: EngineLimits.conjunction
        )
      }
    }
    if layout.dialect.hasBounds { parts.stored.prefilter = parts.rest }
    return parts
  }

  // MARK: Statements that are bound later

  /// Returns a query that selects rows of a hierarchy by their keys; `root` is the index of the root entity.
  package func rows(root: Int, _ keys: KeyCount) -> RowQuery {
    // A single row is read column by column, without an aggregate.
    rows(
      of: root,
      where: layout.dialect.columns.key,
      keys,
      orderedBy: nil,
      mayCollect: keys != .one
    )
  }

  /// Returns a query for the rows of a to-many's members; the parameters are the owners' keys.
  ///
  /// Returns nil if the relationship has a join table, or if the property is not a stored to-many
  /// relationship.
  package func memberRows(entity: Int, slot: Int, of owners: KeyCount) -> RowQuery? {
    guard let relationship = layout.model.entities[entity].properties[slot].relationship,
      let members = layout.entities[entity].members[slot], !members.isJoin
    else { return nil }
    return rows(
      of: relationship.destination,
      where: members.ownerColumn,
      owners,
      orderedBy: members.orderColumn,
      mayCollect: true
    )
  }

  private func rows(
    of entity: Int,
    where column: String,
    _ keys: KeyCount,
    orderedBy order: String?,
    mayCollect: Bool
  ) -> RowQuery {
    let source = sources[entity]
    let (table, alias) = (layout.entities[entity].table, RowSource.alias)
    let isCollected = collects && mayCollect && order == nil && source.canBeCollected
    let selection = isCollected ? RowCollection.call(source.selection) : source.selection
    var sql: SQL = """
      SELECT \(selection) FROM \(name: table) AS \(name: alias) \
      WHERE \(column: column, of: alias) \(layout.dialect.comparison(with: keys))
      """
    if let order { sql.append(" ORDER BY \(column: order, of: alias)") }
    return RowQuery(
      statement: layout.dialect.statement(isCollected ? sql.with(.collectsRows) : sql),
      entity: entity
    )
  }

  /// Returns a query for the pairs of owner and member of a to-many; the parameters are the owners' keys.
  ///
  /// - Throws: `StoreError.invalidRequest` for a property that is not a stored to-many relationship.
  package func pairs(entity: Int, slot: Int, of owners: KeyCount) throws -> PairQuery {
    let property = layout.model.entities[entity].properties[slot]
    guard let relationship = property.relationship,
      let members = layout.entities[entity].members[slot]
    else {
      throw StoreError(
        .invalidRequest,
        "\(layout.model.entities[entity].name).\(property.name) is not a stored to-many relationship"
      )
    }
    let destination = layout.entities[relationship.destination]
    let (dialect, own) = (layout.dialect, layout.dialect.columns)
    let (owner, member) = (members.ownerColumn, members.memberColumn)
    // A join table does not contain the entity numbers of the members. If the statement needs these numbers,
    // it joins the members' table.
    let (pair, row) = ("m", members.isJoin ? "d" : "m")
    var sql: SQL = "SELECT \(column: owner, of: pair), \(column: member, of: pair)"
    if destination.sharesTable { sql.append(", \(column: own.entity, of: row)") }
    sql.append(" FROM \(name: members.table) AS \(name: pair)")
    if members.isJoin, destination.sharesTable {
      sql.append(" JOIN \(name: destination.table) AS \(name: row)")
      sql.append(" ON \(column: own.key, of: row) = \(column: member, of: pair)")
    }
    sql.append(" WHERE \(column: owner, of: pair) \(dialect.comparison(with: owners))")
    if let order = members.orderColumn {
      let position = TypedPiece(SQL.column(order, of: pair), .integer)
      sql.append(" ORDER BY \(try dialect.order(position, .standard, ascending: true))")
    }
    return PairQuery(
      statement: dialect.statement(sql),
      hasEntityColumn: destination.sharesTable,
      destination: relationship.destination
    )
  }
}
