// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// A table of the new layout, and the sources of its rows.
struct TableSource {
  /// An entity whose old rows the table gets.
  struct Member {
    /// The index of the new entity.
    let entity: Int
    /// The index of the old entity.
    let source: Int
    /// The entity number in the old file.
    let old: Int64
    /// The entity number in the new file.
    let new: Int64
  }

  let layout: TableLayout
  /// The old table whose rows this table gets; nil if this table gets no old rows.
  let source: String?
  /// Whether the old table may be altered to become this table.
  ///
  /// If several new tables get rows of the same old table, only one of them is its successor.
  let isSuccessor: Bool
  let members: [Member]
  var columns: [ColumnSource] = []
  var numbers: [Int64] { members.map(\.old) }
}

/// A builder that finds the sources of the new tables and of their columns.
struct TableSourceBuilder {
  let mapping: ModelMapping
  let old: Layout
  let new: Layout
  let file: StoredObjects
  /// The to-ones whose links the old file stores in another form.
  let moved: Set<LayoutBuilder.Declared>

  func tables() -> [TableSource] {
    var successors: [Int: Int] = [:]
    let roots = new.tables.map { ($0, sourceRoot(of: $0.root)) }
    for (table, source) in roots {
      guard let source else { continue }
      let isNatural =
        mapping.destinationEntities[source]
        .map { new.model.entities[$0].root == table.root } ?? false
      if isNatural || successors[source] == nil { successors[source] = table.root }
    }
    return roots.map { table, source in
      var result = TableSource(
        layout: table,
        source: source.map { old.entities[$0].table },
        isSuccessor: source.map { successors[$0] == table.root } ?? false,
        members: members(of: table.root)
      )
      result.columns = columns(of: result)
      return result
    }
  }

  private func sourceRoot(of root: Int) -> Int? {
    members(of: root).first.map { old.model.entities[$0.source].root }
  }

  private func members(of root: Int) -> [TableSource.Member] {
    new.model.entities[root].family.compactMap { index in
      guard let source = mapping.sourceEntities[index], file.has(old.entities[source].table) else {
        return nil
      }
      return TableSource.Member(
        entity: index,
        source: source,
        old: old.entities[source].number,
        new: new.entities[index].number
      )
    }
  }

  // MARK: Columns

  private func columns(of table: TableSource) -> [ColumnSource] {
    var found: [String: ColumnSource] = [:]
    func note(_ name: String, _ value: ColumnValue, _ number: Int64) {
      found[name, default: ColumnSource(name: name, type: "")].set(value, for: number)
    }
    for member in table.members {
      for column in new.entities[member.entity].columns {
        for (name, value) in values(of: column, in: member) { note(name, value, member.old) }
      }
    }
    for (name, value) in hiddenColumns(of: table) {
      for member in table.members { note(name, value, member.old) }
    }
    return table.layout.columns.map { definition in
      var column = ColumnSource(name: definition.name, type: definition.type)
      for (number, value) in found[definition.name]?.values ?? [:] {
        column.set(value, for: number)
      }
      return column
    }
  }

  private func values(
    of column: PropertyColumn,
    in member: TableSource.Member
  ) -> [(String, ColumnValue)] {
    let property = new.model.entities[member.entity].properties[column.slot]
    let source = mapping.sourceSlots[member.entity][column.slot]
    let before = source.flatMap { old.entities[member.source].column($0) }
    if property.isToOne { return link(column, from: before, property, member) }
    guard let attribute = property.attribute else { return [] }
    let was = source.flatMap { old.model.entities[member.source].properties[$0] }
    if attribute.derivation != nil, was?.attribute?.derivation != attribute.derivation {
      return [(column.name, .null)]
    }
    if !column.parts.isEmpty { return parts(of: column, before, member) }
    let filling = Self.constant(
      attribute.defaultValue,
      isNeeded: was == nil || !property.isOptional,
      isTagged: column.isTagged
    )
    return [(column.name, value(existing(before, member), column.isTagged, filling))]
  }

  private func existing(
    _ column: PropertyColumn?,
    _ member: TableSource.Member
  ) -> PropertyColumn? {
    guard let column, file.schema.hasColumn(column.name, in: old.entities[member.source].table)
    else { return nil }
    return column
  }

  private static func constant(_ value: Value, isNeeded: Bool, isTagged: Bool) -> String? {
    guard isNeeded, let binding = value.columnBinding(isTagged: isTagged), binding != .null
    else { return nil }
    return binding.literal
  }

  private func value(
    _ before: PropertyColumn?,
    _ isTagged: Bool,
    _ filling: String?
  ) -> ColumnValue {
    guard let before else { return filling.map { .constant($0) } ?? .null }
    let name = before.name
    switch (before.isTagged, isTagged) {
    // An earlier step has copied the contents of external files into the rows, so only the first byte is
    // removed.
    case (true, false): return .converted(name, expression: "substr(\(name), 2)")
    case (false, true):
      return .converted(
        name,
        expression: "iif(\(name) IS NULL, NULL, CAST(x'01' || \(name) AS BLOB))"
      )
    default: return filling.map { .filled(name, constant: $0) } ?? .column(name)
    }
  }

  private func parts(
    of column: PropertyColumn,
    _ before: PropertyColumn?,
    _ member: TableSource.Member
  ) -> [(String, ColumnValue)] {
    column.parts.map { part in
      let source = before?.parts.first { $0.element.path == part.element.path }?.column
      let filling = Self.constant(
        part.element.attribute.defaultValue,
        isNeeded: source == nil || !part.element.isOptional,
        isTagged: false
      )
      return (part.column.name, value(existing(source, member), false, filling))
    }
  }

  // MARK: Links

  private func link(
    _ column: PropertyColumn,
    from before: PropertyColumn?,
    _ property: PropertyDefinition,
    _ member: TableSource.Member
  ) -> [(String, ColumnValue)] {
    let declared = LayoutBuilder.Declared(entity: property.declaringEntity, slot: property.slot)
    guard let before = existing(before, member), !moved.contains(declared) else {
      return [column.name, column.entityColumn, column.orderColumn].compactMap { name in
        name.map { ($0, .null) }
      }
    }
    var values: [(String, ColumnValue)] = [(column.name, .column(before.name))]
    if let name = column.entityColumn { values.append((name, entityNumber(before))) }
    if let name = column.orderColumn {
      values.append((name, before.orderColumn.map { .column($0) } ?? .null))
    }
    return values
  }

  /// Returns the value of the column that holds the entity number of a to-one's destination.
  private func entityNumber(_ before: PropertyColumn) -> ColumnValue {
    let numbers = old.model.entities[before.destination].family.compactMap { index in
      mapping.destinationEntities[index]
        .map { (old: old.entities[index].number, new: new.entities[$0].number) }
    }
    guard let column = before.entityColumn else {
      // The old file has no column for the entity number if the destination entity has no subentities; all
      // destinations then have the same entity number.
      let number = numbers.first { $0.old == old.entities[before.destination].number }?.new
      guard let number else { return .null }
      return .converted(before.name, expression: "iif(\(before.name) IS NULL, NULL, \(number))")
    }
    let text = SQLList.renumbered(column, numbers)
    return text == column ? .column(column) : .converted(column, expression: text)
  }

  /// Returns the hidden columns for to-manys without an inverse whose members are in the table, with their
  /// values.
  ///
  /// A column that a `LinkTransfer` fills is left out.
  private func hiddenColumns(of table: TableSource) -> [(String, ColumnValue)] {
    var values: [(String, ColumnValue)] = []
    for entity in new.model.entities {
      for (slot, members) in new.entities[entity.index].members.sorted(by: { $0.key < $1.key })
      where members.isHidden && members.table == table.layout.name
        && entity.properties[slot].declaringEntity == entity.index
      {
        let sources = LinkSources(of: entity.properties[slot], mapping, old)
        guard let only = sources.whole, let before = old.entities[only.entity].members[only.slot],
          before.isHidden, before.table == table.source,
          file.schema.hasColumn(before.ownerColumn, in: before.table)
        else { continue }
        values.append((members.ownerColumn, .column(before.ownerColumn)))
        if let order = members.orderColumn, let was = before.orderColumn {
          values.append((order, .column(was)))
        }
      }
    }
    return values
  }
}

/// The old relationships whose links a new relationship gets.
struct LinkSources {
  struct Source: Hashable {
    /// The index of the old entity that declares the relationship.
    let entity: Int
    let slot: Int
  }
  /// The old relationships, each with the old entity numbers of the owners that keep their links.
  private(set) var owners: [(source: Source, numbers: [Int64])] = []
  /// The old relationship, if there is exactly one and every object that the new model keeps also keeps its
  /// links; otherwise nil.
  private(set) var whole: Source?

  var isEmpty: Bool { owners.isEmpty }

  init(of property: PropertyDefinition, _ mapping: ModelMapping, _ old: Layout) {
    let model = mapping.destination
    var numbers: [Source: [Int64]] = [:]
    for index in model.entities[property.declaringEntity].family {
      guard let entity = mapping.sourceEntities[index],
        let slot = mapping.sourceSlots[index][property.slot]
      else { continue }
      let before = mapping.source.entities[entity].properties[slot]
      let source = Source(entity: before.declaringEntity, slot: slot)
      numbers[source, default: []].append(old.entities[entity].number)
    }
    owners = numbers.map { ($0.key, $0.value.sorted()) }
      .sorted { ($0.source.entity, $0.source.slot) < ($1.source.entity, $1.source.slot) }
    if owners.count == 1 {
      let (source, taken) = owners[0]
      let left = mapping.source.entities[source.entity].family
        .filter { mapping.destinationEntities[$0] != nil }
        .map { old.entities[$0].number }
      if Set(left).isSubset(of: taken) { whole = source }
    }
  }
}
