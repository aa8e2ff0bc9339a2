// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel

/// The changes of a database server's tables by which a store gets a new version of its model in place.
///
/// Rows keep their keys and entity numbers. Foreign keys, indexes and triggers are not part of it; they are dropped
/// after `deletions` and created again at the end.
package struct ServerAlteration {
  /// The statements that delete the rows of removed entities, as long as foreign keys clear references to them.
  package private(set) var deletions: [String] = []
  /// The statements that drop and rename tables and columns.
  package private(set) var changes: [String] = []
  package private(set) var newTables: [TableLayout] = []
  package private(set) var newJoins: [JoinLayout] = []
  /// The statements that add columns and fill them with default values.
  package private(set) var additions: [String] = []

  private let mapping: ModelMapping
  private let old: Layout
  private let new: Layout
  /// New root entity → old root entity.
  private var origins: [Int: Int] = [:]
  private var temporaryNames = 0
  private var finalRenames: [String] = []

  /// Nil if the rows of some table must be copied: an entity moves to another hierarchy or becomes abstract, the
  /// type of an attribute changes, the links of a relationship move to another place, an order is added, or a
  /// derived attribute is computed by this library.
  package init?(_ mapping: ModelMapping, old: Layout, new: Layout) {
    self.mapping = mapping
    self.old = old
    self.new = new
    let derivations = ServerDerivations(new)
    guard derivations.followed.isEmpty, derivations.own.allSatisfy(\.isEmpty) else { return nil }
    do {
      for table in new.tables { try findOrigin(of: table) }
      for table in new.tables { try alter(table) }
      for join in new.joins { try alter(join) }
    } catch {
      return nil
    }
    let kept = Set(origins.values)
    let dropped =
      old.tables.filter { !kept.contains($0.root) }.map(\.name)
      + old.joins.map(\.name).filter { !keptJoins.contains($0) }
    if !dropped.isEmpty { changes.insert("DROP TABLE \(dropped.joined(separator: ", "))", at: 0) }
    changes += finalRenames
  }

  /// The names of the old join tables that the new model has, too.
  private var keptJoins: Set<String> = []

  /// Rows must be copied.
  private struct NeedsCopy: Error {}

  /// Renames a table and its columns (new name → old name), by way of names that no other object has yet.
  private mutating func rename(_ former: String, to table: String, _ columns: [String: String]) {
    func temporary() -> String {
      temporaryNames += 1
      return "z_renamed_\(temporaryNames)"
    }
    for (to, from) in columns.sorted(by: { $0.key < $1.key }) where to != from {
      let name = temporary()
      changes.append("ALTER TABLE \(former) RENAME COLUMN \(from) TO \(name)")
      finalRenames.append("ALTER TABLE \(table) RENAME COLUMN \(name) TO \(to)")
    }
    if former == table { return }
    let name = temporary()
    changes.append("ALTER TABLE \(former) RENAME TO \(name)")
    // Before the columns get their names.
    finalRenames.insert("ALTER TABLE \(name) RENAME TO \(table)", at: 0)
  }

  // MARK: Tables

  private mutating func findOrigin(of table: TableLayout) throws {
    let family = new.model.entities[table.root].family
    let sources = family.compactMap { mapping.sourceEntities[$0] }
    let roots = Set(sources.map { old.model.entities[$0].root })
    if roots.isEmpty { return newTables.append(table) }
    guard roots.count == 1, let root = roots.first, !origins.values.contains(root) else {
      throw NeedsCopy()
    }
    origins[table.root] = root
    for index in family {
      guard let source = mapping.sourceEntities[index] else { continue }
      guard new.entities[index].number == old.entities[source].number,
        !new.model.entities[index].isAbstract || old.model.entities[source].isAbstract
      else { throw NeedsCopy() }
    }
    var removed: [Int64] = []
    for source in old.model.entities[root].family {
      if let index = mapping.destinationEntities[source] {
        if !family.contains(index) { throw NeedsCopy() }
      } else {
        removed.append(old.entities[source].number)
      }
    }
    if !removed.isEmpty {
      deletions.append(
        "DELETE FROM \(old.entities[root].table) WHERE z_ent IN (\(SQLList.text(removed)))"
      )
    }
  }

  private mutating func alter(_ table: TableLayout) throws {
    guard let root = origins[table.root] else { return }
    let former = old.entities[root].table
    var columns = Columns()
    for entity in new.model.entities[table.root].family {
      for property in new.model.entities[entity].properties where property.declaringEntity == entity
      {
        try add(property, of: entity, to: &columns)
      }
    }
    try addHidden(table.name, former, to: &columns)
    let unused = old.tables.first { $0.root == root }?.columns.map(\.name)
      .filter { !columns.renames.values.contains($0) }
    for name in unused ?? [] { changes.append("ALTER TABLE \(former) DROP COLUMN \(name)") }
    rename(former, to: table.name, columns.renames)
    let place = new.entities[table.root]
    if place.sharesTable != old.entities[root].sharesTable {
      additions.append(
        "ALTER TABLE \(table.name) ALTER COLUMN z_ent "
          + (place.sharesTable ? "DROP DEFAULT" : "SET DEFAULT \(place.number)")
      )
    }
    for column in table.columns where columns.renames[column.name] == nil {
      additions += columns.addition(column, to: table.name)
    }
    additions += columns.fillings.map { filling in
      "UPDATE \(table.name) SET \(filling.column) = \(filling.value) "
        + "WHERE \(filling.column) IS NULL AND z_ent IN (\(SQLList.text(filling.numbers)))"
    }
  }

  /// The columns of a new table, and where their values come from.
  private struct Columns {
    struct Filling {
      let column: String
      let value: String
      let numbers: [Int64]
    }
    /// Column → old column.
    var renames: [String: String] = [:]
    /// Added column → the value for all rows.
    var defaults: [String: String] = [:]
    var fillings: [Filling] = []

    func addition(_ column: ColumnDefinition, to table: String) -> [String] {
      let add = "ALTER TABLE \(table) ADD COLUMN \(column.name) \(column.type)"
      guard let value = defaults[column.name] else { return [add] }
      // The server fills the rows without writing them.
      return [
        "\(add) DEFAULT \(value)", "ALTER TABLE \(table) ALTER COLUMN \(column.name) DROP DEFAULT",
      ]
    }
  }

  // MARK: Properties

  private func add(
    _ property: PropertyDefinition,
    of entity: Int,
    to columns: inout Columns
  ) throws {
    guard let column = new.entities[entity].column(property.slot) else { return }
    let members = new.model.entities[entity].family.filter { mapping.sourceEntities[$0] != nil }
    let sources = members.map { mapping.source(of: property.slot, in: $0) }
    let numbers = members.map { new.entities[$0].number }
    guard let first = sources.first, let source = first else {
      if sources.contains(where: { $0 != nil }) { throw NeedsCopy() }
      return fill(column, property, from: nil, in: numbers, &columns)
    }
    guard let before = old.entities[source.declaringEntity].column(source.slot),
      sources.allSatisfy({ other in
        other.map {
          $0.declaringEntity == source.declaringEntity && $0.slot == source.slot
        } ?? false
      }),
      before.kind == column.kind
    else { throw NeedsCopy() }
    if property.attribute != nil {
      return fill(column, property, from: before, in: numbers, &columns)
    }
    try addLink(column, property, from: (before, source), &columns)
  }

  private func addLink(
    _ column: PropertyColumn,
    _ property: PropertyDefinition,
    from origin: (column: PropertyColumn, property: PropertyDefinition),
    _ columns: inout Columns
  ) throws {
    let (before, source) = origin
    guard let destination = property.relationship?.destination,
      let former = source.relationship?.destination,
      origins[new.model.entities[destination].root] == old.model.entities[former].root,
      column.entityColumn == nil || before.entityColumn != nil,
      column.orderColumn == nil || before.orderColumn != nil
    else { throw NeedsCopy() }
    columns.renames[column.name] = before.name
    if let name = column.entityColumn { columns.renames[name] = before.entityColumn }
    if let name = column.orderColumn { columns.renames[name] = before.orderColumn }
  }

  /// Takes over the columns of an attribute, and fills missing values with the default value.
  private func fill(
    _ column: PropertyColumn,
    _ property: PropertyDefinition,
    from before: PropertyColumn?,
    in numbers: [Int64],
    _ columns: inout Columns
  ) {
    func take(
      _ name: String,
      _ source: String?,
      _ attribute: AttributeDefinition?,
      isOptional: Bool
    ) {
      if let source { columns.renames[name] = source }
      guard let attribute, source == nil || !isOptional,
        let value = literal(attribute.defaultValue), attribute.derivation == nil
      else { return }
      let isRoot = new.model.entities[property.declaringEntity].parent == nil
      if source == nil, isRoot {
        columns.defaults[name] = value
      } else if !numbers.isEmpty {
        columns.fillings.append(.init(column: name, value: value, numbers: numbers))
      }
    }
    if column.parts.isEmpty {
      take(column.name, before?.name, property.attribute, isOptional: property.isOptional)
    }
    for part in column.parts {
      let source = before?.parts.first {
        $0.element.path == part.element.path && $0.column.kind == part.column.kind
      }
      take(
        part.column.name,
        source?.column.name,
        part.element.attribute,
        isOptional: part.element.isOptional
      )
    }
  }

  private func literal(_ value: Value) -> String? {
    if value.isNull { return nil }
    return new.dialect.exact(value)?.segments.map { segment in
      switch segment {
      case .text(let text), .qualifier(let text): text
      case .value(let value): new.dialect.literal(value)
      }
    }.joined()
  }

  // MARK: To-many relationships

  private func addHidden(
    _ table: String,
    _ former: String,
    to columns: inout Columns
  ) throws {
    for entity in new.model.entities {
      for (slot, members) in new.entities[entity.index].members
      where members.isHidden && members.table == table
        && entity.properties[slot].declaringEntity == entity.index
      {
        guard let before = try origin(of: entity.properties[slot]) else { continue }
        guard before.isHidden, before.table == former else { throw NeedsCopy() }
        columns.renames[members.ownerColumn] = before.ownerColumn
        if let order = members.orderColumn { columns.renames[order] = before.orderColumn }
      }
    }
  }

  /// Returns the old place of a to-many's members; nil for a new relationship.
  private func origin(of property: PropertyDefinition) throws -> MemberLayout? {
    let sources = LinkSources(of: property, mapping, old)
    if sources.isEmpty { return nil }
    let now = new.entities[property.declaringEntity].members[property.slot]
    guard let source = sources.whole,
      let before = old.entities[source.entity].members[source.slot],
      now?.orderColumn == nil || before.orderColumn != nil
    else { throw NeedsCopy() }
    return before
  }

  private mutating func alter(_ join: JoinLayout) throws {
    for entity in new.model.entities {
      for (slot, members) in new.entities[entity.index].members
      where members.isJoin && members.table == join.name && members.ownerColumn == join.columns[0]
        && entity.properties[slot].declaringEntity == entity.index
      {
        guard let before = try origin(of: entity.properties[slot]) else {
          return newJoins.append(join)
        }
        guard before.isJoin else { throw NeedsCopy() }
        return try alter(join, entity.properties[slot], members, from: before)
      }
    }
    throw NeedsCopy()
  }

  private mutating func alter(
    _ join: JoinLayout,
    _ property: PropertyDefinition,
    _ members: MemberLayout,
    from before: MemberLayout
  ) throws {
    var renames = [
      members.ownerColumn: before.ownerColumn, members.memberColumn: before.memberColumn,
    ]
    if let order = members.orderColumn { renames[order] = before.orderColumn }
    if let relationship = property.relationship, let inverse = relationship.inverse {
      let other = new.model.entities[relationship.destination].properties[inverse]
      let now = new.entities[other.declaringEntity].members[other.slot]
      if let order = now?.orderColumn, order != members.orderColumn {
        guard let former = try origin(of: other)?.orderColumn else { throw NeedsCopy() }
        renames[order] = former
      }
    }
    keptJoins.insert(before.table)
    let columns = old.joins.first { $0.name == before.table }?.columns ?? []
    for name in columns where !renames.values.contains(name) {
      changes.append("ALTER TABLE \(before.table) DROP COLUMN \(name)")
    }
    rename(before.table, to: join.name, renames)
  }
}
#endif
