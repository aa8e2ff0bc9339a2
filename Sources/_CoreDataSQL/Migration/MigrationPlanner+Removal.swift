// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension MigrationPlanner {
  func dropTables(_ parts: Parts) -> [MigrationStep] {
    let taken = links.transfers.reduce(
      into: Set(tables.compactMap(\.source) + links.joins.map(\.source))
    ) { $0.formUnion($1.tables) }
    var names = Set(file.schema.columns.keys)
    var steps = droppedTables(parts).map { name in
      let step: MigrationStep
      if isDeferred(name, parts) {
        let later = Leftover.name(for: name, taken: names)
        names.insert(later)
        step = MigrationStep(
          .deferTable(as: later),
          name,
          ["ALTER TABLE \(name) RENAME TO \(later)"]
        )
      } else {
        step = MigrationStep(.dropTable, name, ["DROP TABLE \(name)"])
      }
      return taken.contains(name) ? step : step.losing("SELECT COUNT(*) FROM \(name)")
    }
    if isDeferring { return steps }
    for case .table(let name) in leftovers {
      steps.append(MigrationStep(.dropTable, name, ["DROP TABLE \(name)"]))
    }
    return steps
  }

  private func droppedTables(_ parts: Parts) -> [String] {
    Set(oldTables).filter { file.has($0) && !parts.kept.contains($0) }.sorted(by: utf8Less)
  }

  /// Returns whether a table that the new model does not need is dropped later.
  ///
  /// A table whose rows were copied is dropped at once. If it were renamed, SQLite would put its later name
  /// into the program's views, which would then read the old table instead of its replacement.
  private func isDeferred(_ table: String, _ parts: Parts) -> Bool {
    isDeferring && !parts.copied.contains(table)
  }

  /// Returns each index of a table that stays in the file, if the new model has an index of the same name.
  func indexesInTheWay(
    of migration: IndexMigration,
    _ parts: Parts
  ) -> [StoredObjects.Object] {
    if !isDeferring { return [] }
    let names = Set(migration.made.map(\.name))
    let staying = droppedTables(parts).filter { isDeferred($0, parts) }
    return file.indexes.filter { index in
      names.contains(index.name) && (staying.contains(index.table) || Leftover.isName(index.table))
    }
  }

  /// Returns the columns that no model describes, in tables that are dropped without a copy of their rows.
  func lostColumns(_ parts: Parts) -> [(table: String, column: String)] {
    droppedTables(parts).filter { !parts.copied.contains($0) }.flatMap { table in
      let known = joinColumns(table) + entityColumns(table)
      return (file.schema.columns[table] ?? []).filter {
        !known.contains($0) && !Leftover.isName($0)
      }
      .map { (table, $0) }
    }
  }

  func joinColumns(_ table: String) -> [String] {
    old.joins.filter { $0.name == table }.flatMap(\.columns)
  }

  private func entityColumns(_ table: String) -> [String] {
    ["Z_PK", "Z_ENT", "Z_OPT"]
      + old.tables.filter { $0.name == table }.flatMap(\.columns).map(\.name)
  }
}
