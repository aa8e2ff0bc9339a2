// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The statement of a batch update, and the statements that run before it.
package struct BatchUpdatePlan: Sendable {
  /// The update; it returns `Z_PK` and `Z_ENT` of each changed row if the batch reports keys or changes.
  package let statement: Statement
  /// Statements to run before the update; each selects the values whose files the update makes obsolete.
  package let replacedFiles: [Statement]
  /// Statements to run before the update; empty unless the batch reports changes.
  ///
  /// Each statement selects `Z_PK` and `Z_ENT` of the objects whose to-many `slot` may lose members.
  package let formerOwners: [(statement: Statement, slot: Int)]
  /// The keys of objects whose to-many `slot` may gain members; empty unless the batch reports changes.
  package let newOwners: [(key: ObjectKey, slot: Int)]

  /// Plans the statements of a batch update.
  ///
  /// - Throws: `StoreError.invalidRequest` if the request is invalid for the model; `.inexpressible` if SQL
  ///   cannot express it.
  package init(_ update: BatchUpdate, planner: FetchPlanner) throws {
    var description = FetchDescription(entity: update.entity)
    description.includesSubentities = update.includesSubentities
    description.condition = update.condition
    let selection = try RowSelection(description, planner: planner)
    var columns: [(name: String, piece: SQL)] = []
    var files: [Statement] = []
    for (slot, assigned) in update.assignments {
      let column = try AssignedColumn(slot, selection: selection)
      columns += try column.columns(for: assigned)
      if let replaced = column.filesInRows { files.append(replaced) }
    }
    replacedFiles = files
    // The staged form evaluates all subselects before the first row changes, so that they read unchanged
    // rows.
    let readsRows = columns.contains { $0.piece.traits.contains(.hasSubselect) }
    var sql =
      selection.isPlain && !readsRows
      ? Self.direct(columns, selection) : Self.staged(columns, selection)
    if !update.report.isEmpty { sql.append(" RETURNING Z_PK, Z_ENT") }
    statement = sql.statement
    var former: [(statement: Statement, slot: Int)] = []
    var new: [(key: ObjectKey, slot: Int)] = []
    for (slot, assigned) in update.assignments where update.report.contains(.changes) {
      guard let relationship = selection.entity.properties[slot].relationship,
        let inverse = relationship.inverse, case .value(let value) = assigned,
        let column = planner.layout.entities[selection.entity.index].column(slot)
      else { continue }
      let table = planner.layout.entities[relationship.destination].table
      let reference = SQL.column(column.name, of: selection.scope.alias)
      let owners: SQL = """
        SELECT d.Z_PK, d.Z_ENT FROM \(name: table) AS d \
        WHERE d.Z_PK IN (\(selection.select(reference)))
        """
      former.append((owners.statement, inverse))
      if case .key(let key) = value { new.append((key, inverse)) }
    }
    (formerOwners, newOwners) = (former, new)
  }

  private static func direct(
    _ columns: [(name: String, piece: SQL)],
    _ selection: RowSelection
  ) -> SQL {
    let settings = columns.map { SQL("\(name: $0.name) = \($0.piece)") }
    let all = ([SQL(stringLiteral: RowVersion.raised)] + settings).joined(separator: ", ")
    return """
      UPDATE \(name: selection.table) AS \(name: selection.scope.alias) SET \(all)\
      \(selection.filter)
      """
  }

  /// Returns an UPDATE with a FROM clause, which the engine evaluates completely before it writes the first
  /// row.
  private static func staged(
    _ columns: [(name: String, piece: SQL)],
    _ selection: RowSelection
  ) -> SQL {
    let table = selection.table
    var selected: SQL = "\(column: "Z_PK", of: selection.scope.alias) AS pk"
    var settings = [SQL(stringLiteral: RowVersion.raised)]
    for (index, column) in columns.enumerated() {
      selected.append(", \(column.piece) AS c\(name: String(index))")
      settings.append("\(name: column.name) = n.c\(name: String(index))")
    }
    return """
      UPDATE \(name: table) SET \(settings.joined(separator: ", ")) \
      FROM (\(selection.select(selected))) AS n WHERE \(name: table).Z_PK = n.pk
      """
  }
}
