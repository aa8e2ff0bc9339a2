// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Plans the inferred migration of a file.
///
/// After the migration, the file has the layout and the entity numbers of a new file, like a file that
/// Apple's framework has migrated in place. A table is altered if possible, with added columns at the end;
/// otherwise it is copied.
///
/// Source: observed in twelve migrated stores, docs/decisions/0013-migrated-files.md.
package struct MigrationPlanner {
  let mapping: ModelMapping
  let old: Layout
  let new: Layout
  let file: StoredObjects
  let links: LinkPlanner
  let tables: [TableSource]
  /// Whether tables and columns that the new model does not need are renamed, to be dropped later.
  let isDeferring: Bool

  /// Creates a planner; `entities` contains the names of the old entities that must exist in the file.
  ///
  /// - Throws: `StoreError.incompatibleModel` if the file does not match the old model; `.invalidRequest` if
  ///   the new model has an attribute that an SQLite store cannot hold; `.migration` if a table that no model
  ///   describes has the name of a table of the new model.
  package init(
    _ mapping: ModelMapping,
    file: StoredObjects,
    entities: Set<String>,
    isDeferring: Bool = false
  ) throws {
    self.mapping = mapping
    self.file = file
    self.isDeferring = isDeferring
    old = try Layout(model: mapping.source, stored: file.schema, entities: entities)
    new = try Layout(model: mapping.destination)
    links = LinkPlanner(mapping, old: old, new: new, file: file)
    tables = TableSourceBuilder(
      mapping: mapping,
      old: old,
      new: new,
      file: file,
      moved: links.moved
    ).tables()
    try requireFreeNames()
  }

  private func requireFreeNames() throws {
    let own = Set(oldTables)
    let taken = (new.tables.map(\.name) + new.joins.map(\.name))
      .first { file.has($0) && !own.contains($0) }
    guard let taken else { return }
    throw StoreError(
      .migration,
      "the new model needs a table \(taken), but the store already has a table of this name, which the store's "
        + "model does not describe; rename or drop this table in the file"
    )
  }

  /// The tables of the old model, whether or not the file has them.
  var oldTables: [String] { old.entities.map(\.table) + old.joins.map(\.name) }

  package func plan() -> MigrationPlan {
    let parts = parts()
    let steps = steps(parts)
    return MigrationPlan(
      mapping: mapping,
      source: old,
      destination: new,
      abstracted: abstracted,
      obsoleteFiles: obsoleteFiles,
      lostColumns: lostColumns(parts),
      steps: steps,
      leavesSomething: isDeferring && (steps.contains(where: \.isDeferral) || !leftovers.isEmpty)
    )
  }

  var leftovers: [Leftover] { Leftover.all(in: file.schema) }

  // MARK: Steps

  struct Parts {
    var copies: [MigrationStep] = []
    var changes: [MigrationStep] = []
    var survivors: [String: IndexMigration.Survivor] = [:]
    /// Old or temporary name → new name.
    var renames: [(from: String, to: String)] = []
    /// The old names of the tables that are altered in place instead of copied.
    var kept: Set<String> = []
    /// The old names of the tables whose rows are copied.
    var copied: Set<String> = []
  }

  private func parts() -> Parts {
    var parts = Parts()
    for table in tables { add(table, to: &parts) }
    for join in links.joins { add(join, to: &parts) }
    addNewJoins(to: &parts)
    return parts
  }

  private func steps(_ parts: Parts) -> [MigrationStep] {
    let indexes = IndexMigration(file.indexes, wanted: new.indexes, survivors: parts.survivors)
    var steps = dropTriggers
    steps += (indexes.dropped + indexesInTheWay(of: indexes, parts)).map {
      MigrationStep(.dropIndex($0.name), $0.table, ["DROP INDEX \(Self.quoted($0.name))"])
    }
    steps += takingIn
    steps += links.transfers.map(\.collecting)
    steps += parts.copies + parts.changes
    steps += dropTables(parts)
    steps += renameTables(parts)
    steps += links.transfers.map(\.writing) + links.agreements + clearings
    steps += links.orders.map(\.step)
    steps += [numbering] + derivedValues
    steps += indexes.made.map(creation)
    steps += new.derivationTriggers.map { MigrationStep(.createTrigger, "", statements: [$0]) }
    return steps
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  private func creation(_ index: IndexStatement) -> MigrationStep {
    var step = MigrationStep(.createIndex(index.name), index.table, statements: [index.statement])
    step.touched = rowCount(of: index.table)
    if index.isUnique {
      let name = index.name.hasPrefix("Z_") ? String(index.name.dropFirst(2)) : index.name
      step.constraint = name.split(separator: "_UNIQUE_", maxSplits: 1).joined(separator: ": ")
    }
    return step
  }

  /// Returns a statement for the old file that counts the rows to be written to the new table `name`; nil if
  /// the new table stays empty.
  private func rowCount(of name: String) -> Statement? {
    if let table = tables.first(where: { $0.layout.name == name }) {
      guard let source = table.source else { return nil }
      let all = old.entities.filter { $0.table == source }.map(\.number)
      let isWhole = Set(all).isSubset(of: table.numbers)
      return Statement(
        text: "SELECT COUNT(*) FROM \(source)"
          + (isWhole ? "" : " WHERE Z_ENT IN (\(SQLList.text(table.numbers)))")
      )
    }
    if let join = links.joins.first(where: { $0.layout.name == name }) {
      return Statement(text: "SELECT COUNT(*) FROM \(join.source)")
    }
    return links.transfers.first { transfer in
      if case .join(let members, _) = transfer.target { members.table == name } else { false }
    }?.collecting.touched
  }

  private var dropTriggers: [MigrationStep] {
    file.triggers.filter { $0.name.hasPrefix("Z_DA_") }.map {
      MigrationStep(.dropTrigger($0.name), $0.table, ["DROP TRIGGER \(Self.quoted($0.name))"])
    }
  }

  private func add(_ table: TableSource, to parts: inout Parts) {
    let name = table.layout.name
    guard let source = table.source else {
      let free = freeName(name)
      parts.copies.append(
        MigrationStep(.createTable, name, statements: [new.create(table.layout, as: free)])
      )
      if free != name { parts.renames.append((free, name)) }
      return
    }
    let migration = TableMigration(
      table,
      source: source,
      old: old,
      file: file,
      isDeferring: isDeferring
    )
    if migration.isCopied {
      parts.copied.insert(source)
      let free = freeName(name)
      parts.copies += migration.copying(to: free, new)
      if free != name { parts.renames.append((free, name)) }
    } else {
      parts.changes += migration.altering
      parts.kept.insert(source)
      parts.survivors[source] = .init(table: name, columns: migration.renamedColumns)
      if source != name { parts.renames.append((source, name)) }
    }
  }

  private func freeName(_ name: String) -> String {
    file.has(name) ? TableMigration.temporary + name : name
  }

  private func add(_ join: LinkPlanner.JoinSource, to parts: inout Parts) {
    let name = join.layout.name
    let all = file.schema.columns[join.source] ?? []
    let known = Set(joinColumns(join.source))
    let stored = all.filter(known.contains)
    let sources = join.columns.compactMap(\.old)
    let others = ProgramColumn.of(
      join.source,
      in: file,
      known: known,
      taken: Set(join.columns.map(\.name))
    )
    if sources.count == join.columns.count, stored == sources, !others.contains(where: \.isRenamed)
    {
      parts.kept.insert(join.source)
      var names = Dictionary(uniqueKeysWithValues: zip(stored, join.columns.map(\.name)))
      for other in others { names[other.name] = other.name }
      parts.survivors[join.source] = .init(table: name, columns: names)
      let changed = names.filter { $0.key != $0.value }.map { ($0.key, $0.value) }
      for (from, to) in Renaming.steps(changed, taken: Set(all)) {
        parts.changes.append(
          MigrationStep(
            .renameColumn(from, to: to),
            join.source,
            ["ALTER TABLE \(join.source) RENAME COLUMN \(from) TO \(to)"]
          )
        )
      }
      if join.source != name { parts.renames.append((join.source, name)) }
      return
    }
    parts.copied.insert(join.source)
    let free = freeName(name)
    let kept = others.filter { !$0.isGenerated }
    let values =
      (join.columns.map { $0.old ?? "NULL" } + kept.map { ProgramColumn.quoted($0.name) })
      .joined(separator: ", ")
    let names = (join.columns.map(\.name) + kept.map { ProgramColumn.quoted($0.newName) })
      .joined(separator: ", ")
    parts.copies += [
      MigrationStep(
        .createTable,
        name,
        statements: [new.create(join.layout, as: free, with: others.map(\.definition))]
      ),
      MigrationStep(
        .copyRows(from: join.source),
        name,
        ["INSERT OR IGNORE INTO \(free)(\(names)) SELECT \(values) FROM \(join.source)"]
      ).touching("SELECT COUNT(*) FROM \(join.source)"),
    ]
    if free != name { parts.renames.append((free, name)) }
  }

  private func addNewJoins(to parts: inout Parts) {
    let known = Set(links.joins.map(\.layout.name))
    for join in new.joins where !known.contains(join.name) {
      let free = freeName(join.name)
      parts.copies.append(
        MigrationStep(.createTable, join.name, statements: [new.create(join, as: free)])
      )
      if free != join.name { parts.renames.append((free, join.name)) }
    }
  }

  private func renameTables(_ parts: Parts) -> [MigrationStep] {
    let taken = parts.kept.union(parts.renames.map(\.from))
    return Renaming.steps(parts.renames, taken: taken).map { from, to in
      MigrationStep(.renameTable(to: to), from, ["ALTER TABLE \(from) RENAME TO \(to)"])
    }
  }

  // MARK: Bookkeeping

  private var numbering: MigrationStep {
    var statements = [PrimaryKeys.deleteEntities]
    statements += new.model.entities.map { new.numberRow(of: $0) }
    for table in tables {
      guard let member = table.members.first else { continue }
      let root = old.entities[old.model.entities[member.source].root].number
      guard let last = file.lastKeys[root], last != 0 else { continue }
      let number = new.entities[table.layout.root].number
      statements.append(PrimaryKeys.setLastKey(last, of: number))
    }
    return MigrationStep(.numberEntities, PrimaryKeys.table, statements: statements)
  }

  private var derivedValues: [MigrationStep] {
    new.model.entities.flatMap { entity -> [MigrationStep] in
      if entity.family.allSatisfy({ mapping.sourceEntities[$0] == nil }) { return [] }
      return entity.properties.compactMap { property in
        guard property.declaringEntity == entity.index, property.isStored,
          let derivation = property.attribute?.derivation,
          entity.family.contains(where: { index in
            mapping.source(of: property.slot, in: index)?.attribute?.derivation != derivation
          }), let text = new.computation(of: property, in: entity)
        else { return nil }
        return MigrationStep(
          .computeDerived("\(entity.name).\(property.name)"),
          new.entities[entity.index].table,
          [text]
        )
      }
    }
  }

  private var abstracted: [(entity: String, count: Statement)] {
    new.model.entities.compactMap { entity in
      guard entity.isAbstract, let source = mapping.sourceEntities[entity.index],
        !old.model.entities[source].isAbstract, file.has(old.entities[source].table)
      else { return nil }
      let place = old.entities[source]
      let text = "SELECT COUNT(*) FROM \(place.table) WHERE Z_ENT = \(place.number)"
      return (entity.name, Statement(text: text))
    }
  }
}
