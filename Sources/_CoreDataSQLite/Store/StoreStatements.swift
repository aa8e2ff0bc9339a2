// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQL
import _CoreDataStore

/// Texts that a store needs again and again, by entity index.
struct StatementTexts: Sendable {
  struct Deletion: Sendable {
    let checked: String
    let unchecked: String
    /// What removes the pairs that a deleted row would leave behind.
    let pairs: [String]

    init(_ entity: EntityLayout) {
      checked = RowStatements.delete(entity, checksVersion: true)
      unchecked = RowStatements.delete(entity, checksVersion: false)
      pairs = entity.members.values.filter { $0.isJoin || $0.isHidden }
        .map(\.deletePairsOfOwner).sorted()
    }
  }
  let deletes: [Deletion]
  /// `Z_ENT`.
  let numbers: [Int64]
  let inserts: [RowStatements]
  /// Columns whose values may lie in files of their own.
  let tagged: [[PropertyColumn]]
  /// What must be unique.
  let constraints: UniquenessConstraints
  /// Whether writing a row of the entity comes to pages of indexes, or of rows elsewhere.
  let scatters: [Bool]
  /// Rows by key; meant for roots.
  let oneRow: [String]
  let manyRows: [String]
  /// Slot of a to-many → the statement for the rows of one owner's members.
  let memberRows: [[Int: MemberRowsStatement]]

  init(_ planner: FetchPlanner) {
    let layout = planner.layout
    deletes = layout.entities.map(Deletion.init)
    numbers = layout.entities.map(\.number)
    inserts = layout.entities.map(RowStatements.insert)
    tagged = layout.entities.map { $0.columns.filter(\.isTagged) }
    constraints = UniquenessConstraints(layout.model)
    let derives = layout.model.entities.contains { entity in
      entity.properties.contains { $0.attribute?.derivation != nil }
    }
    scatters = zip(layout.entities, layout.model.entities).map { table, entity in
      let line = sequence(first: entity) { $0.parent.map { layout.model.entities[$0] } }
      return derives || table.sharesTable || !entity.toOneSlots.isEmpty
        || !entity.uniquenessConstraints.isEmpty || line.contains { !$0.fetchIndexes.isEmpty }
    }
    oneRow = layout.entities.map { planner.rowsStatement(root: $0.entity, many: false) }
    manyRows = layout.entities.map { planner.rowsStatement(root: $0.entity, many: true) }
    memberRows = layout.entities.map { entity in
      var statements: [Int: MemberRowsStatement] = [:]
      for slot in entity.members.keys {
        statements[slot] = planner.memberRowsStatement(entity: entity.entity, slot: slot)
      }
      return statements
    }
  }
}
