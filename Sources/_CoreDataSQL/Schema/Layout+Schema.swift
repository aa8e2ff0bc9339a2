// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension Layout {
  /// The statements that make a new file's tables and indexes, entity numbers included.
  package var schema: [Statement] {
    tables.map(create) + tables.flatMap(indexes) + joins.flatMap(create) + bookkeeping
      + derivationTriggers
  }

  private func create(_ table: TableLayout) -> Statement {
    let columns = table.columns.map { ", \($0.name) \($0.type)" }.joined()
    return Statement(
      text: "CREATE TABLE \(table.name) "
        + "( Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER\(columns) )"
    )
  }

  private func create(_ join: JoinLayout) -> [Statement] {
    let columns = join.columns.map { "\($0) INTEGER, " }.joined()
    let (low, high) = (join.columns[0], join.columns[1])
    return [
      Statement(
        text: "CREATE TABLE \(join.name) ( \(columns)PRIMARY KEY (\(low), \(high)) )"
      ),
      Statement(
        text: "CREATE INDEX \(join.name)_\(high)_INDEX ON \(join.name) (\(high), \(low))"
      ),
    ]
  }

  private func indexes(_ table: TableLayout) -> [Statement] {
    let family = model.entities[table.root].family.map { model.entities[$0] }
    var texts: [String] = []
    for entity in family {
      for slot in entity.toOneSlots where entity.properties[slot].declaringEntity == entity.index {
        guard let column = entities[entity.index].column(slot)?.name else { continue }
        texts.append("CREATE INDEX \(table.name)_\(column)_INDEX ON \(table.name) (\(column))")
      }
    }
    for members in hiddenMembers where members.table == table.name {
      let column = members.ownerColumn
      texts.append("CREATE INDEX \(table.name)_\(column)_INDEX ON \(table.name) (\(column))")
    }
    if family.count > 1 {
      texts.append("CREATE INDEX \(table.name)_Z_ENT_INDEX ON \(table.name) (Z_ENT)")
    }
    for entity in family {
      texts += entity.fetchIndexes.compactMap {
        FetchIndexText($0, of: entity, layout: self).statement
      }
      texts += entity.ownUniquenessConstraints.compactMap {
        text(ofConstraint: $0, entity: entity, table: table.name)
      }
    }
    // Apple's tools of 2017 gave models some indexes twice.
    var names: Set<Substring> = []
    return texts.filter { text in names.insert(text.prefix { $0 != "(" }).inserted }
      .map { Statement(text: $0) }
  }

  /// To-manys without inverse, each once.
  private var hiddenMembers: [MemberLayout] {
    model.entities.flatMap { entity in
      entity.toManySlots.filter { entity.properties[$0].declaringEntity == entity.index }
        .compactMap { entities[entity.index].members[$0] }.filter(\.isHidden)
    }
  }

  private func text(
    ofConstraint names: [String],
    entity: EntityDefinition,
    table: String
  ) -> String? {
    let found = names.compactMap { columnNames($0, of: entity) }
    if found.isEmpty || found.count != names.count { return nil }
    let columns = found.joined()
    let parts = columns.map { "\($0) COLLATE BINARY ASC" }.joined(separator: ", ")
    let name = "Z_\(entity.name)_UNIQUE_\(names.joined(separator: "_"))"
    return "CREATE UNIQUE INDEX \(name) ON \(table) (\(parts))"
  }

  private func columnNames(_ property: String, of entity: EntityDefinition) -> [String]? {
    entity.slotByName[property].flatMap { entities[entity.index].column($0)?.names }
  }

  private var bookkeeping: [Statement] {
    [
      Statement(
        text: "CREATE TABLE Z_PRIMARYKEY "
          + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
      ),
      Statement(
        text: "CREATE TABLE Z_METADATA "
          + "(Z_VERSION INTEGER PRIMARY KEY, Z_UUID VARCHAR(255), Z_PLIST BLOB)"
      ),
      Statement(text: "CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)"),
    ]
      + model.entities.map { entity in
        let parent = entity.parent.map { entities[$0].number } ?? 0
        return Statement(
          text: "INSERT INTO Z_PRIMARYKEY(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) VALUES(?, ?, ?, 0)",
          bindings: [
            .integer(entities[entity.index].number), .text(entity.name), .integer(parent),
          ]
        )
      }
  }
}
