// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQL
import _CoreDataStore

/// The statements that a store executes often, and facts about entities that a save needs.
///
/// The positions in the arrays are entity indexes.
struct StoreStatements: Sendable {
  struct Deletion: Sendable {
    let checked: Statement
    let unchecked: Statement
    /// Statements that delete all pairs whose owner is the deleted row.
    let pairs: [Statement]

    init(_ entity: EntityLayout) {
      checked = RowStatement.delete(entity, checksVersion: true)
      unchecked = RowStatement.delete(entity, checksVersion: false)
      pairs = entity.members.values.filter { $0.isJoin || $0.isHidden }
        .map(\.deletePairsOfOwner).sorted { $0.text < $1.text }
    }
  }

  struct FileColumn: Sendable {
    let slot: Int
    let select: Statement
  }
  let deletes: [Deletion]
  /// The entity number (`Z_ENT`) of each entity, by entity index.
  let numbers: [Int64]
  /// The statements that reserve primary keys; used for root entities only.
  let reservations: [PrimaryKeys.Reservation]
  let inserts: [RowStatement]
  let updates = UpdateStatements()
  let versions: [Statement]
  let fileColumns: [[FileColumn]]
  let constraints: UniquenessConstraints
  /// Whether writing a row can also change pages of indexes or of other rows.
  let scatters: [Bool]
  /// Queries for rows by one key, by a range of keys, or by a list of keys; used for root entities only.
  let oneRow: [RowQuery]
  let rangeOfRows: [RowQuery]
  let manyRows: [RowQuery]
  /// Entity → slot of a to-many → the query for the member rows of one owner.
  ///
  /// A to-many with a join table has no query.
  let memberRows: [[Int: RowQuery]]

  /// Returns the query for rows in the hierarchy of a root entity.
  func rows(root: Int, _ keys: KeyCount) -> RowQuery {
    switch keys {
    case .one: oneRow[root]
    case .range: rangeOfRows[root]
    case .list: manyRows[root]
    }
  }

  init(_ planner: FetchPlanner) {
    let layout = planner.layout
    deletes = layout.entities.map(Deletion.init)
    numbers = layout.entities.map(\.number)
    reservations = layout.entities.map { PrimaryKeys.Reservation(for: $0.number, in: $0.table) }
    inserts = layout.entities.map(RowStatement.insert)
    versions = layout.entities.map(RowStatement.version)
    fileColumns = layout.entities.map { entity in
      entity.columns.filter(\.isTagged).map { column in
        FileColumn(slot: column.slot, select: RowStatement.value(column, entity))
      }
    }
    constraints = UniquenessConstraints(layout.model)
    let derives = layout.model.entities.contains { entity in
      entity.properties.contains { $0.attribute?.derivation != nil }
    }
    scatters = zip(layout.entities, layout.model.entities).map { table, entity in
      let line = sequence(first: entity) { $0.parent.map { layout.model.entities[$0] } }
      return derives || table.sharesTable || !entity.toOneSlots.isEmpty
        || !entity.uniquenessConstraints.isEmpty || line.contains { !$0.fetchIndexes.isEmpty }
    }
    oneRow = layout.entities.map { planner.rows(root: $0.entity, .one) }
    rangeOfRows = layout.entities.map { planner.rows(root: $0.entity, .range) }
    manyRows = layout.entities.map { planner.rows(root: $0.entity, .list) }
    memberRows = layout.entities.map { entity in
      var queries: [Int: RowQuery] = [:]
      for slot in entity.members.keys {
        queries[slot] = planner.memberRows(entity: entity.entity, slot: slot, of: .one)
      }
      return queries
    }
  }
}
