// SPDX-License-Identifier: Apache-2.0

import CoreDataSQL

/// Texts that a store needs again and again, by entity index.
struct StatementTexts: Sendable {
  let inserts: [RowStatements]
  /// Rows by key; meant for roots.
  let oneRow: [String]
  let manyRows: [String]

  init(_ planner: FetchPlanner) {
    let layout = planner.layout
    inserts = layout.entities.map(RowStatements.insert)
    oneRow = layout.entities.map { planner.rowsStatement(root: $0.entity, many: false) }
    manyRows = layout.entities.map { planner.rowsStatement(root: $0.entity, many: true) }
  }
}
