// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The rows of one table to which a batch applies.
struct RowSelection {
  let entity: EntityDefinition
  let compiler: ConditionCompiler
  let scope: Scope
  /// The ORDER BY, LIMIT and OFFSET; nil if the request has neither a limit nor an offset.
  private let window: SQL?
  private let conditions: [SQL]

  /// Creates the selection of the rows that `description` matches.
  ///
  /// If `keys` is not nil, it replaces the condition of the description.
  ///
  /// - Throws: `StoreError.invalidRequest` if the request is invalid for the model; `.inexpressible` if SQL
  ///   cannot express it.
  init(_ description: FetchDescription, keys: [ObjectKey]? = nil, planner: FetchPlanner) throws {
    entity = try planner.entity(at: description.entity)
    compiler = ConditionCompiler(layout: planner.layout, storeIndex: planner.storeIndex)
    scope = Scope(root: entity, compiler: compiler)
    var conditions: [SQL] = []
    if let ofEntity = scope.entityCondition(includesSubentities: description.includesSubentities) {
      conditions.append(ofEntity)
    }
    if let keys {
      let column = compiler.primaryKey(scope.alias)
      conditions.append(compiler.isOneOf(keys, of: entity.root, column))
    } else if let condition = description.condition {
      var allowance = StatementAllowance()
      let piece = try compiler.statementCondition(condition, in: scope, within: &allowance)
      if piece != compiler.always { conditions.append(piece) }
    }
    self.conditions = conditions
    window = try Self.window(description, compiler, scope)
    if window == nil { try Self.checkOrder(description, entity, planner) }
  }

  /// Throws an error for an invalid sort key.
  ///
  /// A sort key that SQL cannot express is accepted, because the statement needs no order.
  private static func checkOrder(
    _ description: FetchDescription,
    _ entity: EntityDefinition,
    _ planner: FetchPlanner
  ) throws {
    // A separate compiler keeps the joins of the sort keys out of the statement.
    let compiler = ConditionCompiler(layout: planner.layout, storeIndex: planner.storeIndex)
    let scope = Scope(root: entity, compiler: compiler)
    for key in description.order {
      do {
        _ = try compiler.order(key, in: scope)
      } catch let error as StoreError where error.code == .inexpressible {
        continue
      }
    }
  }

  private static func window(
    _ description: FetchDescription,
    _ compiler: ConditionCompiler,
    _ scope: Scope
  ) throws -> SQL? {
    if description.limit == 0, description.offset == 0 { return nil }
    var piece: SQL = ""
    if !description.order.isEmpty {
      let order = try description.order.map { try compiler.order($0, in: scope) }
      piece.append(" ORDER BY \(order.joined(separator: ", "))")
    }
    let count = description.limit > 0 ? Int64(description.limit) : -1
    piece.append(
      " LIMIT \(bind: .integer(count)) OFFSET \(bind: .integer(Int64(description.offset)))"
    )
    return piece
  }

  var table: String { compiler.layout.entities[entity.index].table }

  var isPlain: Bool { window == nil && scope.joins.isEmpty }

  var filter: SQL { Self.filter(conditions) }

  func select(_ columns: SQL, where condition: SQL? = nil) -> SQL {
    let all = conditions + [condition].compactMap { $0 }
    var sql: SQL = "SELECT \(columns) FROM \(scope.source)\(Self.filter(all))"
    if let window { sql.append(window) }
    return sql.with(.hasSubselect)
  }

  private static func filter(_ conditions: [SQL]) -> SQL {
    conditions.isEmpty ? "" : " WHERE \(conditions.joined(separator: " AND "))"
  }
}
