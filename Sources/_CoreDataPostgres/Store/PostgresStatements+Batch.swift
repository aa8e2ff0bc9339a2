// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

extension PostgresStatements {
  /// Returns the INSERT of a batch request that may meet stored rows with the same unique values; it returns
  /// the key and entity number of the row that it has inserted or changed.
  ///
  /// `named` are the slots to write to a stored row; nil stands for all.
  /// - Throws: `StoreError.invalidRequest` if stored rows are to be changed, and the entity has several
  ///   uniqueness constraints.
  func upsert(_ insert: BatchInsert, named: SlotSet?) throws -> String {
    let table = layout.entities[insert.entity]
    let text = inserts[insert.entity].text
    if insert.duplicates == .keep {
      return text + " ON CONFLICT DO NOTHING RETURNING z_pk, z_ent"
    }
    let own = constraints.byEntity[insert.entity].map { constraints.all[$0] }
    guard own.count == 1, let target = own.first else {
      let name = layout.model.entities[insert.entity].name
      throw StoreError(
        .invalidRequest,
        "the batch insert cannot overwrite rows of \(name), which has \(own.count) uniqueness constraints, "
          + "because a statement of PostgreSQL can name only one; save objects with a merge policy instead"
      )
    }
    let columns = target.slots.flatMap { table.column($0)?.names ?? [] }.joined(separator: ", ")
    let slots = named ?? SlotSet(layout.model.entities[insert.entity].storedSlots)
    var names: [String] = []
    for slot in slots {
      guard let column = table.column(slot) else { continue }
      names += column.names + [column.entityColumn].compactMap(\.self)
    }
    let parts =
      ["z_opt = \(table.table).z_opt + 1"] + names.map { "\($0) = excluded.\($0)" }
    return text + " ON CONFLICT (\(columns)) DO UPDATE SET \(parts.joined(separator: ", ")) "
      + "RETURNING z_pk, z_ent"
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
