// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension MigrationPlanner {
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

  var clearings: [MigrationStep] {
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

  var obsoleteFiles: [Statement] {
    taggedColumns().compactMap { table, column, number, value in
      if case .column? = value { return nil }
      if case .filled? = value { return nil }
      return Statement(
        text: "SELECT \(column) FROM \(table) WHERE Z_ENT = \(number) "
          + "AND substr(\(column), 1, 1) \(Self.isFile)"
      )
    }
  }

  var takingIn: [MigrationStep] {
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
