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
  private let mapping: ModelMapping
  private let old: Layout
  private let new: Layout
  private let file: StoredObjects
  private let links: LinkPlanner
  private let tables: [TableSource]

  /// Creates a planner; `entities` contains the names of the old entities that must exist in the file.
  ///
  /// - Throws: `StoreError.incompatibleModel` if the file does not match the old model; `.invalidRequest` if
  ///   the new model has an attribute that an SQLite store cannot hold.
  package init(_ mapping: ModelMapping, file: StoredObjects, entities: Set<String>) throws {
    self.mapping = mapping
    self.file = file
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
  }

  package func plan() -> MigrationPlan {
    MigrationPlan(
      mapping: mapping,
      source: old,
      destination: new,
      abstracted: abstracted,
      obsoleteFiles: obsoleteFiles,
      steps: steps()
    )
  }

  // MARK: Steps

  private struct Parts {
    var copies: [MigrationStep] = []
    var changes: [MigrationStep] = []
    var survivors: [String: IndexMigration.Survivor] = [:]
    /// Old or temporary name → new name.
    var renames: [(from: String, to: String)] = []
    /// The old names of the tables that are altered in place instead of copied.
    var kept: Set<String> = []
  }

  private func steps() -> [MigrationStep] {
    var parts = Parts()
    for table in tables { add(table, to: &parts) }
    for join in links.joins { add(join, to: &parts) }
    addNewJoins(to: &parts)
    let indexes = IndexMigration(file.indexes, wanted: new.indexes, survivors: parts.survivors)
    var steps = dropTriggers
    steps += indexes.dropped.map {
      MigrationStep(.dropIndex($0.name), $0.table, ["DROP INDEX \(Self.quoted($0.name))"])
    }
    steps += takingIn
    steps += links.transfers.map(\.collecting)
    steps += parts.copies + parts.changes
    steps += dropTables(except: parts.kept)
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
    let migration = TableMigration(table, source: source, old: old, file: file)
    if migration.isCopied {
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
    let stored = file.schema.columns[join.source] ?? []
    let sources = join.columns.compactMap(\.old)
    if sources.count == join.columns.count, stored == sources {
      parts.kept.insert(join.source)
      let names = Dictionary(uniqueKeysWithValues: zip(stored, join.columns.map(\.name)))
      parts.survivors[join.source] = .init(table: name, columns: names)
      let changed = names.filter { $0.key != $0.value }.map { ($0.key, $0.value) }
      for (from, to) in Renaming.steps(changed, taken: Set(stored)) {
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
    let free = freeName(name)
    let values = join.columns.map { $0.old ?? "NULL" }.joined(separator: ", ")
    let names = join.columns.map(\.name).joined(separator: ", ")
    parts.copies += [
      MigrationStep(.createTable, name, statements: [new.create(join.layout, as: free)]),
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

  private func dropTables(except kept: Set<String>) -> [MigrationStep] {
    let own = Set(old.entities.map(\.table) + old.joins.map(\.name))
    let taken = links.transfers.reduce(
      into: Set(tables.compactMap(\.source) + links.joins.map(\.source))
    ) { $0.formUnion($1.tables) }
    let names = own.filter { file.has($0) && !kept.contains($0) }.sorted(by: utf8Less)
    return names.map { name in
      let step = MigrationStep(.dropTable, name, ["DROP TABLE \(name)"])
      return taken.contains(name) ? step : step.losing("SELECT COUNT(*) FROM \(name)")
    }
  }

  private func renameTables(_ parts: Parts) -> [MigrationStep] {
    let taken = parts.kept.union(parts.renames.map(\.from))
    return Renaming.steps(parts.renames, taken: taken).map { from, to in
      MigrationStep(.renameTable(to: to), from, ["ALTER TABLE \(from) RENAME TO \(to)"])
    }
  }

  // MARK: Links to deleted rows

  /// The indexes of the new model's root entities whose tables lose rows.
  private var shrunkRoots: Set<Int> {
    var roots: Set<Int> = []
    for table in tables {
      guard let source = table.source else { continue }
      let all = old.entities.filter { $0.table == source }.map(\.number)
      if !Set(all).isSubset(of: table.numbers) { roots.insert(table.layout.root) }
    }
    return roots
  }

  private var clearings: [MigrationStep] {
    let shrunk = shrunkRoots
    if shrunk.isEmpty { return [] }
    func isShrunk(_ entity: Int) -> Bool { shrunk.contains(new.model.entities[entity].root) }
    func table(_ entity: Int) -> String { new.entities[entity].table }
    var steps: [MigrationStep] = []
    for entity in new.model.entities {
      for property in entity.properties where property.declaringEntity == entity.index {
        guard let relationship = property.relationship else { continue }
        let destination = relationship.destination
        if let column = new.entities[entity.index].column(property.slot), isShrunk(destination) {
          let names = [column.name, column.entityColumn, column.orderColumn].compactMap(\.self)
          steps.append(clearing(names, of: table(entity.index), to: table(destination)))
        }
        guard let members = new.entities[entity.index].members[property.slot] else { continue }
        if members.isHidden, isShrunk(entity.index) {
          let names = [members.ownerColumn, members.orderColumn].compactMap(\.self)
          steps.append(clearing(names, of: members.table, to: table(entity.index)))
        } else if members.isJoin, isShrunk(destination) {
          let rows = "SELECT Z_PK FROM \(table(destination))"
          steps.append(
            MigrationStep(
              .clearLinks,
              members.table,
              ["DELETE FROM \(members.table) WHERE \(members.memberColumn) NOT IN (\(rows))"]
            )
          )
        }
      }
    }
    return steps
  }

  private func clearing(_ names: [String], of table: String, to other: String) -> MigrationStep {
    let parts = names.map { "\($0) = NULL" }.joined(separator: ", ")
    return MigrationStep(
      .clearLinks,
      table,
      [
        "UPDATE \(table) SET \(parts) WHERE \(names[0]) IS NOT NULL "
          + "AND \(names[0]) NOT IN (SELECT Z_PK FROM \(other))"
      ]
    )
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

  // MARK: Large values

  /// Returns each old column whose values can refer to external files, once for each entity.
  ///
  /// `value` is the value of the new column that uses the old column; nil if no new column uses it.
  private func taggedColumns() -> [(
    table: String, column: String, number: Int64, value: ColumnValue?
  )] {
    old.entities.flatMap { entity in
      entity.columns.filter {
        $0.isTagged && file.schema.hasColumn($0.name, in: entity.table)
      }.map { column in
        let values = tables.filter { $0.source == entity.table }
          .flatMap { $0.columns.compactMap { $0.values[entity.number] } }
        let value = values.first { $0.column == column.name }
        return (entity.table, column.name, entity.number, value)
      }
    }
  }

  private static let isFile = "= x'02'"

  private var obsoleteFiles: [Statement] {
    taggedColumns().compactMap { table, column, number, value in
      if case .column? = value { return nil }
      if case .filled? = value { return nil }
      return Statement(
        text: "SELECT \(column) FROM \(table) WHERE Z_ENT = \(number) "
          + "AND substr(\(column), 1, 1) \(Self.isFile)"
      )
    }
  }

  private var takingIn: [MigrationStep] {
    taggedColumns().compactMap { table, column, number, value in
      guard case .converted? = value else { return nil }
      let select =
        "SELECT Z_PK, \(column) FROM \(table) WHERE Z_ENT = \(number) "
        + "AND substr(\(column), 1, 1) \(Self.isFile)"
      return MigrationStep(.takeInFiles(column: column), table, [select])
        .touching("SELECT COUNT(*) FROM (\(select))")
    }
  }
}
