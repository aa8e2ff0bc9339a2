// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The statements of a batch delete.
///
/// A single statement is enough if the deletion has no consequences and the rows need not be read. Otherwise
/// the keys are first collected in a temporary table, one cascade level at a time.
package struct BatchDeletePlan: Sendable {
  /// The single statement that deletes the rows; nil if their keys must be collected first.
  ///
  /// The statement returns `Z_PK` and `Z_ENT` of each deleted row if the batch reports keys or changes.
  package let direct: Statement?
  /// The statement that inserts the keys of the requested rows into the table of deleted keys, at level 0.
  package let insertRequested: Statement
  /// The index of the root entity of the request's entity.
  package let root: Int
  package let consequences: DeletionRules

  /// Compiles a batch delete.
  ///
  /// Pass true as `readsRows` if the caller reads the rows before it deletes them. The plan then always
  /// collects the keys of the rows.
  ///
  /// - Throws: `StoreError.invalidRequest` if the request is invalid for the model; `.inexpressible` if SQL
  ///   cannot express it.
  package init(_ delete: BatchDelete, planner: FetchPlanner, readsRows: Bool = false) throws {
    let selection = try RowSelection(delete.rows, keys: delete.keys, planner: planner)
    let alias = selection.scope.alias
    root = selection.entity.root
    consequences = DeletionRules(
      planner.layout,
      reportsOwners: delete.report.contains(.changes)
    )
    if !readsRows, consequences.steps(from: selection.entity.index).isEmpty {
      var sql: SQL =
        selection.isPlain
        ? "DELETE FROM \(name: selection.table) AS \(name: alias)\(selection.filter)"
        : """
        DELETE FROM \(name: selection.table) \
        WHERE Z_PK IN (\(selection.select(selection.compiler.primaryKey(alias))))
        """
      if !delete.report.isEmpty { sql.append(" RETURNING Z_PK, Z_ENT") }
      direct = sql.statement
    } else {
      direct = nil
    }
    let number = String(root)
    let columns: SQL = """
      \(name: number) AS root, \(column: "Z_PK", of: alias) AS pk, \
      \(column: "Z_ENT", of: alias) AS ent, 0 AS level
      """
    let insert: SQL = "INSERT INTO \(name: DeletedKeys.table) \(selection.select(columns))"
    insertRequested = insert.statement
  }
}

/// Statements for the temporary table of the keys of the rows to delete.
package enum DeletedKeys {
  static let table = "temp.CDDeleted"
  /// The statement that creates the table, unless the connection already has the table.
  package static let create = Statement(
    text: "CREATE TEMP TABLE IF NOT EXISTS CDDeleted(root INTEGER, pk INTEGER, ent INTEGER, "
      + "level INTEGER, PRIMARY KEY (root, pk)) WITHOUT ROWID"
  )
  /// The statement that deletes all keys from the table.
  package static let clear = Statement(text: "DELETE FROM \(table)")
  /// A query for all keys.
  ///
  /// Each key has four columns: the index of the root entity, `Z_PK`, `Z_ENT`, and the level of the cascade,
  /// which is 0 for a requested row.
  package static let all = Statement(text: "SELECT root, pk, ent, level FROM \(table)")
  /// A query for the indexes, in ascending order, of the root entities whose hierarchies contain rows to
  /// delete.
  package static let roots = Statement(text: "SELECT DISTINCT root FROM \(table) ORDER BY root")

  /// Returns a subselect, for use after `IN`, of the collected primary keys in the hierarchy of a root
  /// entity.
  static func numbers(root: Int) -> String { "(SELECT pk FROM \(table) WHERE root = \(root))" }
  /// Returns a subselect, for use after `IN`, of the primary keys that were collected at one level in the
  /// hierarchy of a root entity.
  ///
  /// The level is a parameter of the statement.
  static func level(root: Int) -> String {
    "(SELECT pk FROM \(table) WHERE root = \(root) AND level = ?)"
  }
}
