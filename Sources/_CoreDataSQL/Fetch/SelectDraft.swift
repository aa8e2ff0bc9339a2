// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// A SELECT statement under construction; each stage adds its part.
struct SelectDraft {
  typealias Stage = @Sendable (inout SelectDraft) throws -> Void

  /// The stages in the order in which they run.
  ///
  /// The stages add joins to `scope`, so the FROM clause is rendered after all of them.
  static let stages: [Stage] = [
    { $0.restrictToEntities() }, { try $0.addColumns() }, { try $0.addCondition() },
    { try $0.addGrouping() }, { try $0.addOrder() }, { $0.addLimit() },
  ]

  let description: FetchDescription
  let planner: FetchPlanner
  let entity: EntityDefinition
  let compiler: ConditionCompiler
  let scope: Scope
  private(set) var reading: FetchPlan.Reading
  private(set) var sorter: RowSorter?

  private var columns: SQL = "1"
  private var conditions: [SQL] = []
  private(set) var grouping: [SQL] = []
  private(set) var having: SQL?
  private var order: [SQL] = []
  private(set) var dictionary: DictionaryColumns?
  private var limit: SQL?
  private(set) var isDistinct = false
  private var allowance = StatementAllowance()

  init(_ description: FetchDescription, planner: FetchPlanner) throws {
    self.description = description
    self.planner = planner
    entity = try planner.entity(at: description.entity)
    compiler = ConditionCompiler(layout: planner.layout, storeIndex: planner.storeIndex)
    scope = Scope(root: entity, compiler: compiler)
    reading = .count
  }

  // MARK: Stages

  private mutating func restrictToEntities() {
    let includes = description.includesSubentities
    if let condition = scope.entityCondition(includesSubentities: includes) {
      conditions.append(condition)
    }
  }

  private mutating func addColumns() throws {
    let source = planner.sources[entity.index]
    switch description.shape {
    case .rows:
      columns = source.selection
      reading = .rows(source)
    case .keys:
      columns = source.keySelection
      reading = .keys(source)
    case .count:
      columns = description.limit > 0 || description.offset > 0 ? "1" : "COUNT(*)"
      reading = .count
    case .dictionaries(let shape):
      isDistinct = shape.isDistinct
      var drafts = DictionaryColumns(compiler: compiler, scope: scope)
      for column in shape.columns { try drafts.add(column) }
      columns = drafts.pieces.joined(separator: ", ")
      dictionary = drafts
      reading = .dictionaries(drafts.results)
    }
  }

  private mutating func addCondition() throws {
    if let condition = description.condition {
      let piece = try compiler.statementCondition(condition, in: scope, within: &allowance)
      if piece != compiler.always { conditions.append(piece) }
    }
    if let prefilter = description.prefilter, compiler.dialect.hasBounds,
      let piece = try compiler.prefilter(prefilter, in: scope, within: &allowance)
    {
      conditions.append(piece)
    }
  }

  private mutating func addGrouping() throws {
    guard case .dictionaries(let shape) = description.shape else { return }
    grouping = try shape.groupBy.map { term in
      let operand = try compiler.operand(term, in: scope)
      guard case .column(let piece, _) = operand else {
        throw StoreError(
          .invalidRequest,
          "propertiesToGroupBy contains \(term.format), which is \(operand.kindName). Group by "
            + "attributes and to-one relationships only"
        )
      }
      return piece
    }
    if let condition = shape.having {
      having = try compiler.statementCondition(
        condition,
        in: scope,
        within: &allowance,
        aggregates: true
      )
    }
    if compiler.dialect.groupsStrictly { grouping += try checkedGrouping(shape) }
  }

  private mutating func addOrder() throws {
    if case .count = description.shape { return }
    sorter = memorySorter
    if sorter != nil { return }
    order = try description.order.map { key in
      if compiler.dialect.groupsStrictly, dictionary != nil {
        return try strictOrder(key)
      }
      return try compiler.order(key, in: scope)
    }
  }

  /// The sorter of the fetched rows; nil if the statement sorts the rows, or if the fetch has no sort keys.
  ///
  /// The sorter is used if the fetch returns whole rows of one entity without a limit or offset. Sorting in
  /// memory is then faster than an ORDER BY, even with a matching index, because SQLite would have to search
  /// for the row of each index entry. The condition can still use an index.
  private var memorySorter: RowSorter? {
    guard case .rows = description.shape, description.limit == 0, description.offset == 0,
      entity.family.count == 1 || !description.includesSubentities
    else { return nil }
    if planner.layout.entities[entity.index].sharesTable { return nil }
    return RowSorter(description.order, entity: entity)
  }

  private mutating func addLimit() {
    if description.limit > 0 || description.offset > 0 {
      limit = compiler.dialect.window(limit: description.limit, offset: description.offset)
    }
  }

  // MARK: Text

  private var collectsRows: Bool {
    guard planner.collects, order.isEmpty, limit == nil else { return false }
    switch reading {
    case .rows(let source), .keys(let source): return source.canBeCollected
    case .count, .dictionaries: return false
    }
  }

  var sql: SQL {
    let collects = collectsRows
    let selection = collects ? RowCollection.call(columns) : columns
    if ordersDistinctRows { return rowsOfDistinct(select(selection), order, limit) }
    var sql = select(selection)
    if !order.isEmpty { sql.append(" ORDER BY \(order.joined(separator: ", "))") }
    if let limit { sql.append(" \(limit)") }
    if case .count = description.shape, limit != nil { return compiler.dialect.count(of: sql) }
    if sharesValues { return sql.with(.sharesValues) }
    return collects ? sql.with(.collectsRows) : sql
  }

  /// Returns the statement up to its order.
  private func select(_ selection: SQL) -> SQL {
    let distinct = isDistinct ? "DISTINCT " : ""
    var sql: SQL = "SELECT \(name: distinct)\(selection) FROM \(scope.source)"
    if !conditions.isEmpty { sql.append(" WHERE \(conditions.joined(separator: " AND "))") }
    if !grouping.isEmpty { sql.append(" GROUP BY \(grouping.joined(separator: ", "))") }
    if let having { sql.append(" HAVING \(having)") }
    return sql
  }
}
