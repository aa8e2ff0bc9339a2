// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Builds a `Layout` from a model and, for an existing file, the schema of the file.
struct LayoutBuilder {
  let model: ModelDefinition
  let stored: StoredSchema?
  private(set) var numbers: [Int64] = []
  private(set) var tables: [TableLayout] = []
  private(set) var joins: [JoinLayout] = []
  private(set) var entities: [EntityLayout] = []

  struct Declared: Hashable {
    let entity: Int
    let slot: Int
  }
  private var columns: [Declared: PropertyColumn] = [:]
  private var members: [Declared: MemberLayout] = [:]
  private var usedJoinColumns: Set<String> = []
  /// Indexes of entities that are missing in the file and are not required.
  private var absent: Set<Int> = []

  init(model: ModelDefinition, stored: StoredSchema?, entities needed: Set<String>?) throws {
    self.model = model
    self.stored = stored
    try number(needed)
    for entity in model.entities where entity.parent == nil { try addTable(of: entity) }
    addMemberColumns()
    addJoins()
    for entity in model.entities { entities.append(layout(of: entity)) }
  }

  /// Assigns an entity number to each entity.
  ///
  /// For an existing file these are the entity numbers in the file. Entities that are missing in the file and
  /// are not required get entity numbers that no row has.
  private mutating func number(_ needed: Set<String>?) throws {
    var owners: [Int64: EntityDefinition] = [:]
    var spare = stored?.numbers.values.max() ?? 0
    for entity in model.entities {
      var number = storedNumber(of: entity)
      if number == nil, let needed, !needed.contains(entity.name) {
        absent.insert(entity.index)
        spare += 1
        number = spare
      }
      guard let number else {
        let former = entity.renamingIdentifier.flatMap {
          $0 == entity.name ? nil : " and no entity \($0), its renaming identifier"
        }
        throw StoreError(
          .incompatibleModel,
          "the store has no entity \(entity.name)\(former ?? ""), because the store was created with another "
            + "model or configuration"
        )
      }
      if let other = owners.updateValue(entity, forKey: number) {
        throw StoreError(.incompatibleModel, shared(number, by: other, and: entity))
      }
      numbers.append(number)
    }
  }

  private func shared(
    _ number: Int64,
    by one: EntityDefinition,
    and other: EntityDefinition
  ) -> String {
    let stored = [one, other].compactMap { storedName(of: $0) }
    if stored.count == 2, stored[0] == stored[1] {
      return
        "the entities \(one.name) and \(other.name) of the model both refer to the store's entity "
        + "\(stored[0]); give one of them another renaming identifier"
    }
    return
      "the entities \(one.name) and \(other.name) have the same number (Z_ENT \(number)) in the store's "
      + "Z_PRIMARYKEY, so the file is damaged; restore a backup, or correct Z_ENT of one of them"
  }

  /// Returns the entity number; nil if the file lacks the entity.
  ///
  /// For a new file, the entity number is the entity's index plus 1.
  private func storedNumber(of entity: EntityDefinition) -> Int64? {
    guard let stored else { return Int64(entity.index + 1) }
    return storedName(of: entity).flatMap { stored.numbers[$0] }
  }

  /// Returns the entity's name in the file; nil if there is no file, or the file lacks the entity.
  ///
  /// A file that was migrated in place can contain the entity under its old name.
  private func storedName(of entity: EntityDefinition) -> String? {
    guard let numbers = stored?.numbers else { return nil }
    if numbers[entity.name] != nil { return entity.name }
    return entity.renamingIdentifier.flatMap { numbers[$0] == nil ? nil : $0 }
  }

  private func table(of entity: EntityDefinition) -> String {
    Layout.name(model.entities[entity.root].name)
  }

  // MARK: Tables

  /// Adds the table of a hierarchy, with columns sorted by group and within a group by entity.
  private mutating func addTable(of root: EntityDefinition) throws {
    var table = TableLayout(
      name: self.table(of: root),
      root: root.index,
      columns: []
    )
    let family = root.family.map { model.entities[$0] }
    let columns = family.map(ownColumns)
    let names = try columnNames(of: family, columns)
    for own in columns {
      for column in own {
        guard let traits = column.traits, traits.group == .integer else { continue }
        add(column, type: traits.declaredType, names: names, to: &table)
      }
      for column in own where column.property.isToOne {
        add(column, type: "INTEGER", names: names, to: &table)
      }
    }
    for group in ColumnGroup.allCases where group != .integer {
      for own in columns {
        for column in own {
          guard let traits = column.traits, traits.group == group else { continue }
          add(column, type: traits.declaredType, names: names, to: &table)
        }
      }
    }
    tables.append(table)
  }

  /// The column of a stored property that an entity declares itself; if the property is a composite
  /// attribute, the column of one of its elements.
  private struct OwnColumn {
    let property: PropertyDefinition
    var element: (index: Int, definition: CompositeElement)?

    var attribute: AttributeDefinition? { element?.definition.attribute ?? property.attribute }
    var traits: AttributeColumn? { attribute?.type.traits.column }
    /// The possible names of the column, the most likely first.
    ///
    /// The names for elements are this library's choice, because no known file has a column for an element.
    var names: [String] {
      guard let path = element?.definition.path else { return [Layout.name(property.name)] }
      return [
        Layout.name(([property.name] + path).joined(separator: "_")),
        Layout.name(([property.name] + path).joined()), Layout.name(path.joined(separator: "_")),
      ]
    }
  }

  private func ownColumns(of entity: EntityDefinition) -> [OwnColumn] {
    ownProperties(of: entity).flatMap { property in
      guard let attribute = property.attribute, attribute.type == .composite else {
        return [OwnColumn(property: property)]
      }
      return attribute.elements.enumerated()
        .map { OwnColumn(property: property, element: ($0.offset, $0.element)) }
    }
  }

  private func ownProperties(of entity: EntityDefinition) -> [PropertyDefinition] {
    if absent.contains(entity.index) { return [] }
    return entity.properties.filter { $0.declaringEntity == entity.index && $0.isStored }
  }

  /// Assigns column names in the order of the entity numbers; a number is appended to a name that is already
  /// used.
  ///
  /// `columns` contains the columns that each entity declares itself.
  /// - Throws: `StoreError.invalidRequest` for an attribute that an SQLite store cannot hold.
  private func columnNames(
    of family: [EntityDefinition],
    _ columns: [[OwnColumn]]
  ) throws -> [Declared: [String]] {
    var taken: Set<String> = []
    var names: [Declared: [String]] = [:]
    let table = table(of: family[0])
    let sorted = zip(family, columns).sorted { numbers[$0.0.index] < numbers[$1.0.index] }
    for (entity, own) in sorted {
      for property in ownProperties(of: entity) {
        guard let obstacle = property.attribute?.obstacle else { continue }
        throw StoreError(
          .invalidRequest,
          "an SQLite store cannot hold the attribute \(entity.name).\(property.name), because \(obstacle); "
            + "change the attribute, or make the attribute transient"
        )
      }
      for column in own {
        let possible = column.names
        let base = possible.first { stored?.hasColumn($0, in: table) ?? true } ?? possible[0]
        var name = base
        var suffix = 0
        while !taken.insert(name).inserted {
          suffix += 1
          name = base + String(suffix)
        }
        names[Declared(entity: entity.index, slot: column.property.slot), default: []].append(name)
      }
    }
    return names
  }

  private mutating func add(
    _ own: OwnColumn,
    type: String,
    names: [Declared: [String]],
    to table: inout TableLayout
  ) {
    let property = own.property
    let declared = Declared(entity: property.declaringEntity, slot: property.slot)
    let name = names[declared]?[own.element?.index ?? 0] ?? own.names[0]
    table.columns.append(ColumnDefinition(name: name, type: type))
    var entityColumn: String?
    var orderColumn: String?
    if let relationship = property.relationship {
      entityColumn = entityNumberColumn(of: relationship, column: name, table: table.name)
      if let entityColumn {
        table.columns.append(ColumnDefinition(name: entityColumn, type: "INTEGER"))
      }
      if let inverse = inverse(of: relationship)?.relationship,
        inverse.isToMany, inverse.isOrdered
      {
        orderColumn = existing("Z_FOK_" + name.dropFirst(), in: table.name)
      }
    }
    let column = PropertyColumn(
      slot: property.slot,
      kind: own.attribute.map { SlotKind($0.type) } ?? .reference,
      name: name,
      entityColumn: entityColumn,
      orderColumn: orderColumn,
      destination: property.relationship?.destination ?? 0,
      isTagged: own.element == nil && property.attribute?.allowsExternalStorage ?? false
    )
    if let element = own.element {
      add(.init(column: column, element: element.definition), to: declared)
    } else {
      columns[declared] = column
    }
  }

  /// Adds the column of an element to a composite attribute, whose parts stay in the order of the model.
  private mutating func add(_ part: PropertyColumn.Part, to declared: Declared) {
    let attribute = model.entities[declared.entity].properties[declared.slot].attribute
    let order = (attribute?.elements ?? []).map(\.path)
    var parts = (columns[declared]?.parts ?? []) + [part]
    parts.sort {
      order.firstIndex(of: $0.element.path) ?? 0 < order.firstIndex(of: $1.element.path) ?? 0
    }
    columns[declared] = PropertyColumn(
      slot: declared.slot,
      kind: .opaque,
      name: "",
      entityColumn: nil,
      orderColumn: nil,
      destination: 0,
      isTagged: false,
      parts: parts
    )
  }

  /// Returns the column with the destination's entity number; nil if the destination has no subentities, or
  /// the file has no such column.
  ///
  /// In migrated files the name of the column may contain an old entity number.
  private func entityNumberColumn(
    of relationship: RelationshipDefinition,
    column: String,
    table: String
  ) -> String? {
    let destination = model.entities[relationship.destination]
    if destination.children.isEmpty { return nil }
    let tail = "_" + column.dropFirst()
    let name = "Z\(numbers[destination.index])\(tail)"
    guard let stored else { return name }
    if stored.hasColumn(name, in: table) { return name }
    return stored.columns[table]?.first {
      $0.hasSuffix(tail) && $0.hasPrefix("Z") && $0.count > tail.count + 1
        && $0.dropFirst().dropLast(tail.count).allSatisfy(\.isNumber)
    }
  }

  private func existing(_ column: String, in table: String) -> String? {
    guard let stored else { return column }
    return stored.hasColumn(column, in: table) ? column : nil
  }

  private func inverse(of relationship: RelationshipDefinition) -> PropertyDefinition? {
    relationship.inverse.map { model.entities[relationship.destination].properties[$0] }
  }

  // MARK: To-many relationships

  private func declaredToManys(of entity: EntityDefinition) -> [PropertyDefinition] {
    entity.properties.filter {
      $0.declaringEntity == entity.index && $0.isToMany && !$0.isTransient
    }
  }

  /// The columns that a to-many adds to the table of its members.
  ///
  /// A to-many without an inverse adds the column of the owner's primary key. An ordered to-many adds the
  /// column of the order position.
  private struct MemberColumns {
    let root: Int
    let owner: Int64
    let relationship: String
    let isOrdered: Bool
    let names: [String]
  }

  /// Inserts the columns for to-manys after all other integer columns of their tables.
  ///
  /// The inserted columns are sorted by the owner's entity number, then by name. The order columns of an
  /// entity come last, sorted by descending name.
  /// Source: observed in all known files with such columns; in four tables one entity has several such
  /// columns.
  private mutating func addMemberColumns() {
    let found = (orderColumns() + hiddenColumns()).sorted { left, right in
      if left.owner != right.owner { return left.owner < right.owner }
      if left.isOrdered != right.isOrdered { return right.isOrdered }
      return left.isOrdered
        ? utf8Less(right.relationship, left.relationship)
        : utf8Less(left.relationship, right.relationship)
    }
    for columns in found {
      guard let index = tables.firstIndex(where: { $0.root == columns.root }) else { continue }
      let place = tables[index].columns.firstIndex { $0.type != "INTEGER" }
      tables[index].columns.insert(
        contentsOf: columns.names.map { ColumnDefinition(name: $0, type: "INTEGER") },
        at: place ?? tables[index].columns.count
      )
    }
  }

  private func orderColumns() -> [MemberColumns] {
    columns.compactMap { declared, column in
      let entity = model.entities[declared.entity]
      guard let order = column.orderColumn,
        let relationship = entity.properties[declared.slot].relationship,
        let inverse = inverse(of: relationship)
      else { return nil }
      return MemberColumns(
        root: entity.root,
        owner: numbers[inverse.declaringEntity],
        relationship: inverse.name,
        isOrdered: true,
        names: [order]
      )
    }
  }

  private mutating func hiddenColumns() -> [MemberColumns] {
    var found: [MemberColumns] = []
    for entity in model.entities {
      for property in declaredToManys(of: entity) {
        guard let relationship = property.relationship, relationship.inverse == nil else {
          continue
        }
        let destination = model.entities[relationship.destination]
        let (root, table) = (destination.root, self.table(of: destination))
        let tail = "\(numbers[entity.index])" + Layout.name(property.name).dropFirst()
        let order = relationship.isOrdered ? existing("Z_FOK_" + tail, in: table) : nil
        members[Declared(entity: entity.index, slot: property.slot)] = MemberLayout(
          table: table,
          ownerColumn: "Z" + tail,
          memberColumn: "Z_PK",
          orderColumn: order,
          isJoin: false,
          isHidden: true
        )
        found.append(
          MemberColumns(
            root: root,
            owner: numbers[entity.index],
            relationship: property.name,
            isOrdered: relationship.isOrdered,
            names: ["Z" + tail, order].compactMap(\.self)
          )
        )
      }
    }
    return found
  }

  private mutating func addJoins() {
    var pairs: [JoinPair] = []
    var done: Set<Declared> = []
    for entity in model.entities {
      for property in declaredToManys(of: entity) {
        guard let relationship = property.relationship, let inverse = inverse(of: relationship),
          inverse.isToMany, !inverse.isTransient
        else { continue }
        let mine = Declared(entity: entity.index, slot: property.slot)
        let other = Declared(entity: inverse.declaringEntity, slot: inverse.slot)
        if done.contains(mine) { continue }
        done.formUnion([mine, other])
        pairs.append(
          JoinPair(
            (mine, property, numbers[mine.entity]),
            (other, inverse, numbers[other.entity])
          )
        )
      }
    }
    for pair in pairs.sorted(by: JoinPair.namesFirst) { addJoin(pair) }
  }

  private mutating func addJoin(_ pair: JoinPair) {
    var names = pair.names
    if let stored {
      names = names.found(in: stored) ?? pair.otherNames.found(in: stored) ?? names
    } else {
      names.makeUnique(&usedJoinColumns)
    }
    let orders = [
      pair.isInverseOrdered ? "Z_FOK_" + names.low.dropFirst(2) : nil,
      pair.isOrdered ? "Z_FOK_" + names.high.dropFirst(2) : nil,
    ].map { order in order.flatMap { existing($0, in: names.table) } }
    joins.append(
      JoinLayout(
        name: names.table,
        columns: [names.low, names.high] + orders.compactMap(\.self),
        isReverseIndexed: true
      )
    )
    members[pair.named] = MemberLayout(
      table: names.table,
      ownerColumn: names.low,
      memberColumn: names.high,
      orderColumn: orders[1],
      isJoin: true,
      isHidden: false
    )
    if pair.inverse != pair.named {
      members[pair.inverse] = MemberLayout(
        table: names.table,
        ownerColumn: names.high,
        memberColumn: names.low,
        orderColumn: orders[0],
        isJoin: true,
        isHidden: false
      )
    }
  }

  // MARK: Entities

  private func layout(of entity: EntityDefinition) -> EntityLayout {
    let root = model.entities[entity.root]
    var bySlot = [Int](repeating: -1, count: entity.properties.count)
    var own: [PropertyColumn] = []
    for slot in entity.storedSlots {
      let declared = Declared(entity: entity.properties[slot].declaringEntity, slot: slot)
      guard let column = columns[declared] else { continue }
      bySlot[slot] = own.count
      own.append(column)
    }
    var toManys: [Int: MemberLayout] = [:]
    for slot in entity.toManySlots {
      toManys[slot] = memberLayout(of: entity.properties[slot])
    }
    return EntityLayout(
      entity: entity.index,
      table: table(of: entity),
      number: numbers[entity.index],
      sharesTable: !root.children.isEmpty,
      columns: own,
      columnIndexBySlot: bySlot,
      members: toManys
    )
  }

  private func memberLayout(of property: PropertyDefinition) -> MemberLayout? {
    let declared = Declared(entity: property.declaringEntity, slot: property.slot)
    if let known = members[declared] { return known }
    guard !property.isTransient, let relationship = property.relationship,
      let inverse = inverse(of: relationship), inverse.isToOne,
      let column = columns[Declared(entity: inverse.declaringEntity, slot: inverse.slot)]
    else { return nil }
    let destination = model.entities[relationship.destination]
    return MemberLayout(
      table: table(of: destination),
      ownerColumn: column.name,
      memberColumn: "Z_PK",
      orderColumn: relationship.isOrdered ? column.orderColumn : nil,
      isJoin: false,
      isHidden: false
    )
  }
}
