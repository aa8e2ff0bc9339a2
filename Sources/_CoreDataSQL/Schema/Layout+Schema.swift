// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Layout {
  /// The statements that create the tables, indexes and triggers of a new file, and insert the entity
  /// numbers.
  package var schema: [Statement] {
    tables.map { create($0) } + tables.flatMap(indexes).map(\.statement)
      + joins.flatMap { [create($0), reverseIndex($0).statement] } + bookkeeping
      + derivationTriggers
  }

  /// All indexes of a new file.
  var indexes: [IndexStatement] { tables.flatMap(indexes) + joins.map(reverseIndex) }

  /// Returns the statement that creates a table as `name`; nil stands for the table's own name.
  ///
  /// `more` contains the definitions of further columns.
  func create(
    _ table: TableLayout,
    as name: String? = nil,
    with more: [String] = []
  ) -> Statement {
    let columns = (table.columns.map { "\($0.name) \($0.type)" } + more).map { ", \($0)" }.joined()
    return Statement(
      text: "CREATE TABLE \(name ?? table.name) "
        + "( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns) )"
    )
  }

  /// Returns the statement that creates a join table as `name`; nil stands for the table's own name.
  ///
  /// `more` contains the definitions of further columns.
  func create(_ join: JoinLayout, as name: String? = nil, with more: [String] = []) -> Statement {
    let columns = (join.columns.map { "\($0) INTEGER" } + more).map { "\($0), " }.joined()
    let (low, high) = (join.columns[0], join.columns[1])
    return Statement(
      text: "CREATE TABLE \(name ?? join.name) ( \(columns)PRIMARY KEY (\(low), \(high)) )"
    )
  }

  private func reverseIndex(_ join: JoinLayout) -> IndexStatement {
    let (low, high) = (join.columns[0], join.columns[1])
    return IndexStatement(
      name: "\(join.name)_\(high)_INDEX",
      table: join.name,
      parts: [high, low]
    )
  }

  private func indexes(_ table: TableLayout) -> [IndexStatement] {
    let family = model.entities[table.root].family.map { model.entities[$0] }
    var indexes: [IndexStatement] = []
    func index(_ column: String) {
      indexes.append(
        IndexStatement(
          name: "\(table.name)_\(column)_INDEX",
          table: table.name,
          parts: [column]
        )
      )
    }
    for entity in family {
      for slot in entity.toOneSlots where entity.properties[slot].declaringEntity == entity.index {
        if let column = entities[entity.index].column(slot)?.name { index(column) }
      }
    }
    for members in hiddenMembers where members.table == table.name {
      index(members.ownerColumn)
    }
    if family.count > 1 { index("Z_ENT") }
    for entity in family {
      indexes += entity.fetchIndexes.compactMap {
        FetchIndexStatement($0, of: entity, layout: self).statement
      }
      indexes += entity.ownUniquenessConstraints.compactMap {
        uniqueIndex($0, of: entity, table: table.name)
      }
    }
    // Models made with Apple's tools of 2017 have some indexes twice.
    var names: Set<String> = []
    return indexes.filter { names.insert($0.name).inserted }
  }

  /// The to-manys whose owner column belongs to no property, because they have no inverse; an inherited
  /// to-many is included once.
  private var hiddenMembers: [MemberLayout] {
    model.entities.flatMap { entity in
      entity.toManySlots.filter { entity.properties[$0].declaringEntity == entity.index }
        .compactMap { entities[entity.index].members[$0] }.filter(\.isHidden)
    }
  }

  private func uniqueIndex(
    _ names: [String],
    of entity: EntityDefinition,
    table: String
  ) -> IndexStatement? {
    let found = names.compactMap { columnNames($0, of: entity) }
    if found.isEmpty || found.count != names.count { return nil }
    return IndexStatement(
      name: "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))",
      table: table,
      parts: found.joined().map { "\($0) COLLATE BINARY ASC" },
      isUnique: true
    )
  }

  private func columnNames(_ property: String, of entity: EntityDefinition) -> [String]? {
    entity.slotByName[property].flatMap { entities[entity.index].column($0)?.names }
  }

  private var bookkeeping: [Statement] {
    [
      PrimaryKeys.create,
      Statement(
        text: "CREATE TABLE Z_METADATA "
          + "(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"
      ),
      Statement(text: "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"),
    ]
      + model.entities.map { numberRow(of: $0) }
  }

  /// Returns the statement that adds the entity's row to `Z_PRIMARYKEY`.
  func numberRow(of entity: EntityDefinition) -> Statement {
    PrimaryKeys.insert(
      entities[entity.index].number,
      name: entity.name,
      parent: entity.parent.map { entities[$0].number } ?? 0
    )
  }
}
