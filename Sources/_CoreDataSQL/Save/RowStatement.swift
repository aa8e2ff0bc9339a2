// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A statement that writes one row, and the meaning of its parameters.
package struct RowStatement: Sendable {
  /// The value to bind to one parameter of a row statement.
  package enum Parameter: Sendable {
    case slot(PropertyColumn)
    /// One element of a composite attribute, by its index.
    case part(PropertyColumn, Int)
    /// The entity number of a to-one's destination.
    case entityNumber(PropertyColumn)
    /// The primary key of a to-one's destination, bound a second time.
    ///
    /// The statement compares this key with the stored primary key, and clears the order position if the two
    /// differ.
    case orderGuard(PropertyColumn)
  }
  package let statement: Statement
  package let parameters: [Parameter]

  private init(_ text: String, _ parameters: [Parameter]) {
    statement = Statement(text: text)
    self.parameters = parameters
  }

  /// Returns the INSERT of a row with version 1; the statement binds `Z_PK`, then the parameters.
  package static func insert(_ layout: EntityLayout) -> RowStatement {
    var names = ["Z_PK", "Z_ENT", "Z_OPT"]
    var parameters: [Parameter] = []
    for column in layout.columns {
      names += column.names
      parameters += values(of: column)
      if let entityColumn = column.entityColumn {
        names.append(entityColumn)
        parameters.append(.entityNumber(column))
      }
    }
    let marks = String(repeating: ", ?", count: parameters.count)
    return RowStatement(
      "INSERT INTO \(layout.table)(\(names.joined(separator: ", "))) "
        + "VALUES(?, \(layout.number), 1\(marks))",
      parameters
    )
  }

  /// Returns an INSERT that does not fail if a stored row has the same unique values, but writes `slots` to
  /// that row.
  ///
  /// If `slots` is nil, the stored row does not change. The statement returns the `Z_PK` of the row that it
  /// inserted or changed; it returns no row if it wrote nothing.
  package func folding(_ layout: EntityLayout, _ slots: SlotSet?) -> RowStatement {
    guard let slots else {
      return RowStatement(
        statement.text + " ON CONFLICT DO NOTHING RETURNING Z_PK",
        parameters
      )
    }
    let values = slots.flatMap { layout.column($0)?.names ?? [] }.map { "\($0) = excluded.\($0)" }
    return RowStatement(
      statement.text + " ON CONFLICT DO UPDATE SET "
        + ([RowVersion.raised] + values).joined(separator: ", ") + " RETURNING Z_PK",
      parameters
    )
  }

  /// Returns the UPDATE of `slots` in one row.
  ///
  /// The statement binds the parameters, then `Z_PK` and, if `checksVersion` is true, the expected `Z_OPT`.
  package static func update(
    _ layout: EntityLayout,
    slots: SlotSet,
    checksVersion: Bool
  ) -> RowStatement {
    var parts = [RowVersion.raised]
    var parameters: [Parameter] = []
    for slot in slots {
      guard let column = layout.column(slot) else { continue }
      parts += column.names.map { "\($0) = ?" }
      parameters += values(of: column)
      if let entityColumn = column.entityColumn {
        parts.append("\(entityColumn) = ?")
        parameters.append(.entityNumber(column))
      }
      if let order = column.orderColumn {
        parts.append("\(order) = iif(? IS \(column.name), \(order), NULL)")
        parameters.append(.orderGuard(column))
      }
    }
    return RowStatement(
      "UPDATE \(layout.table) SET \(parts.joined(separator: ", ")) WHERE Z_PK = ?"
        + (checksVersion ? " AND \(RowVersion.isExpected)" : ""),
      parameters
    )
  }

  private static func values(of column: PropertyColumn) -> [Parameter] {
    column.parts.isEmpty ? [.slot(column)] : column.parts.indices.map { .part(column, $0) }
  }

  /// Returns the DELETE of a row; the statement binds `Z_PK` and, if `checksVersion` is true, the expected
  /// `Z_OPT`.
  package static func delete(_ layout: EntityLayout, checksVersion: Bool) -> Statement {
    Statement(
      text: "DELETE FROM \(layout.table) WHERE Z_PK = ?"
        + (checksVersion ? " AND \(RowVersion.isExpected)" : "")
    )
  }

  /// Returns a statement that selects the version (`RowVersion.stored`) of the row with the bound `Z_PK`.
  ///
  /// The statement returns no row if the row with this `Z_PK` is gone.
  package static func version(_ layout: EntityLayout) -> Statement {
    Statement(text: "SELECT \(RowVersion.stored) FROM \(layout.table) WHERE Z_PK = ?")
  }

  /// Returns a query that has one row if a row with the bound `Z_PK` exists, and otherwise no row.
  package static func presence(_ layout: EntityLayout) -> Statement {
    Statement(text: "SELECT 1 FROM \(layout.table) WHERE Z_PK = ?")
  }

  /// Returns a statement that selects the value of a column in the row with the bound `Z_PK`.
  package static func value(_ column: PropertyColumn, _ layout: EntityLayout) -> Statement {
    Statement(text: "SELECT \(column.name) FROM \(layout.table) WHERE Z_PK = ?")
  }

  /// Returns a statement that sets columns to NULL in the row with the bound `Z_PK`, and keeps the row's
  /// version.
  package static func clear(_ columns: [String], _ layout: EntityLayout) -> Statement {
    let values = columns.map { "\($0) = NULL" }.joined(separator: ", ")
    return Statement(text: "UPDATE \(layout.table) SET \(values) WHERE Z_PK = ?")
  }
}
