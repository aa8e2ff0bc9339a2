// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The statements that insert rows of one entity in a batch.
package struct BatchInsertStatements: Sendable {
  private let layout: Layout
  private let entity: EntityLayout
  /// The INSERT of one row; its first parameter is `Z_PK`, and the others are those that `row.parameters`
  /// describes.
  package let row: RowStatement
  /// Whether an inserted row can conflict with a stored row, because the entity has uniqueness constraints.
  package let meetsStoredRows: Bool

  package init(entity: Int, constraints: UniquenessConstraints, layout: Layout) {
    self.layout = layout
    self.entity = layout.entities[entity]
    row = RowStatement.insert(self.entity)
    meetsStoredRows = !constraints.byEntity[entity].isEmpty
  }

  /// The number of parameters for one row, including `Z_PK`.
  package var width: Int { row.parameters.count + 1 }

  /// Returns a statement that inserts `rows` rows.
  ///
  /// If both `reports` and `meetsStoredRows` are true, the statement returns `Z_PK` and `Z_ENT` of each
  /// written row. `named` contains the slots that `.overwriteGivenProperties` overwrites in a stored row with
  /// the same unique values.
  package func insert(
    rows: Int,
    duplicates: BatchInsert.Duplicates,
    named: SlotSet,
    reports: Bool
  ) -> Statement {
    var text = row.statement.text
    if rows > 1 {
      let marks = String(repeating: ", ?", count: row.parameters.count)
      text += String(repeating: ", (?, \(entity.number), 1\(marks))", count: rows - 1)
    }
    guard meetsStoredRows else { return Statement(text: text) }
    switch duplicates {
    case .refuse: break
    case .keep: text += " ON CONFLICT DO NOTHING"
    case .overwriteGivenProperties: text += replacing { named.contains($0.slot) }
    case .overwrite: text += replacing { _ in true }
    }
    if reports { text += " RETURNING Z_PK, Z_ENT" }
    return Statement(text: text)
  }

  private func replacing(_ isWritten: (PropertyColumn) -> Bool) -> String {
    var settings = [RowVersion.raised]
    for column in entity.columns where isWritten(column) {
      settings += (column.names + [column.entityColumn].compactMap { $0 }).map { name in
        "\(name) = \(guarded("excluded.\(name)", name, column.slot))"
      }
    }
    return " ON CONFLICT DO UPDATE SET " + settings.joined(separator: ", ")
  }

  /// Returns the expression that the upsert assigns to a column of a stored row.
  ///
  /// The stored row can belong to another entity of the hierarchy. If that entity lacks the property, the
  /// expression leaves the column unchanged.
  private func guarded(_ value: String, _ name: String, _ slot: Int) -> String {
    let model = layout.model
    let declaring = model.entities[model.entities[entity.entity].properties[slot].declaringEntity]
    if declaring.parent == nil { return value }
    let numbers = declaring.family.map { String(layout.entities[$0].number) }
    let table = entity.table
    return "iif(\(table).Z_ENT IN (\(numbers.joined(separator: ", "))), \(value), \(table).\(name))"
  }
}
