// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresStatements {
  /// Returns the INSERT of a batch request that may meet stored rows with the same unique values; it returns
  /// the key and entity number of the row that it has inserted or changed.
  ///
  /// If several stored rows have unique values of the new one, the row that the first constraint finds is changed.
  /// `named` are the slots to write to a stored row; nil stands for all.
  func upsert(_ insert: BatchInsert, named: SlotSet?) -> String {
    let table = layout.entities[insert.entity]
    let statement = inserts[insert.entity]
    if insert.duplicates == .keep {
      return statement.text + " ON CONFLICT DO NOTHING RETURNING z_pk, z_ent"
    }
    let own = constraints.byEntity[insert.entity].map { constraints.all[$0] }
      .map { $0.slots.flatMap { table.column($0)?.names ?? [] } }
    let slots = named ?? SlotSet(layout.model.entities[insert.entity].storedSlots)
    let changed = written(slots, insert.entity).flatMap { columns(slot: $0, of: insert.entity) }
    if own.count == 1 {
      let settings = changed.map { $0.setting(table.table, "excluded") }
      let all = ["z_opt = \(table.table).z_opt + 1"] + settings
      return "\(statement.text) ON CONFLICT (\(own[0].joined(separator: ", "))) DO UPDATE SET "
        + "\(all.joined(separator: ", ")) RETURNING z_pk, z_ent"
    }
    // ON CONFLICT can name only one constraint.
    let names = statement.names.joined(separator: ", ")
    let values = statement.values.joined(separator: ", ")
    let matches = own.map { columns -> String in
      let parts = columns.map { "o.\($0) = w.\($0)" }
      return "(\(parts.joined(separator: " AND ")))"
    }
    let order = matches.enumerated().map { "WHEN \($1) THEN \($0)" }.joined(separator: " ")
    let settings = ["z_opt = t.z_opt + 1"] + changed.map { $0.setting("t", "v") }
    let found =
      "SELECT o.z_pk FROM \(table.table) AS o, v AS w "
      + "WHERE \(matches.joined(separator: " OR ")) ORDER BY CASE \(order) END LIMIT 1"
    return """
      WITH v (\(names)) AS (VALUES (\(values))), \
      i AS (INSERT INTO \(statement.target) SELECT \(names) FROM v ON CONFLICT DO NOTHING \
      RETURNING z_pk, z_ent), \
      u AS (UPDATE \(table.table) AS t SET \(settings.joined(separator: ", ")) FROM v \
      WHERE NOT EXISTS (SELECT 1 FROM i) AND t.z_pk = (\(found)) RETURNING t.z_pk, t.z_ent) \
      SELECT z_pk, z_ent FROM i UNION ALL SELECT z_pk, z_ent FROM u
      """
  }

  /// A column that an INSERT writes to a stored row with the same unique values.
  private struct ChangedColumn {
    let name: String
    /// The numbers of the entities that have the column; nil if all rows of the table have it.
    let numbers: String?

    func setting(_ row: String, _ source: String) -> String {
      guard let numbers else { return "\(name) = \(source).\(name)" }
      return
        "\(name) = CASE WHEN \(row).z_ent IN (\(numbers)) THEN \(source).\(name) ELSE \(row).\(name) END"
    }
  }

  private func columns(slot: Int, of entity: Int) -> [ChangedColumn] {
    guard let column = layout.entities[entity].column(slot) else { return [] }
    let declaring = layout.model.entities[
      layout.model.entities[entity].properties[slot].declaringEntity
    ]
    let numbers = declaring.family.map { "\(layout.entities[$0].number)" }.joined(separator: ", ")
    return (column.names + [column.entityColumn].compactMap(\.self)).map {
      ChangedColumn(name: $0, numbers: declaring.parent == nil ? nil : numbers)
    }
  }

  /// Returns the statement that removes the references to an array of deleted rows from the rows of a
  /// relationship's destination, and returns keys and entity numbers of these rows.
  ///
  /// The result is nil if the references are not in rows of the destination.
  func release(_ property: PropertyDefinition, of entity: EntityDefinition) -> String? {
    guard let relationship = property.relationship else { return nil }
    let destination = layout.entities[relationship.destination]
    let inverse = relationship.inverse.flatMap { destination.column($0) }
    let columns: [String?]
    if let members = layout.entities[entity.index].members[property.slot] {
      if members.isJoin { return nil }
      columns = [members.ownerColumn, inverse?.entityColumn, members.orderColumn]
    } else if let inverse {
      columns = [inverse.name, inverse.entityColumn, inverse.orderColumn]
    } else {
      return nil
    }
    guard let reference = columns[0] else { return nil }
    let parts = columns.compactMap(\.self).map { "\($0) = NULL" }.joined(separator: ", ")
    return "UPDATE \(destination.table) SET z_opt = z_opt + 1, \(parts) "
      + "WHERE \(reference) = ANY($1) RETURNING z_pk, z_ent"
  }
}
#endif
