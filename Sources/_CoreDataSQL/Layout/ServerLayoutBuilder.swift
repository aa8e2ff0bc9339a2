// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataStore

/// Builds the layout of a store in a database server, with the names of the model.
///
/// The names in the layout are identifiers as statements contain them, in quotes. The columns of the framework
/// are `z_pk`, `z_ent` and `z_opt`, so statements can name them as in an SQLite file.
struct ServerLayoutBuilder {
  private let model: ModelDefinition
  /// Entity → its number in the database.
  private let numbers: [Int64]
  private var tableNames = ServerNames(reserved: Layout.serverTables)
  private var columnNames: [Int: ServerNames] = [:]
  private var tableNameByRoot: [Int: String] = [:]
  private var columnsByTable: [Int: [ColumnDefinition]] = [:]
  private var columns: [LayoutBuilder.Declared: PropertyColumn] = [:]
  private var members: [LayoutBuilder.Declared: MemberLayout] = [:]
  private(set) var joins: [JoinLayout] = []
  private(set) var references: [ServerReference] = []

  /// Names the tables and columns.
  ///
  /// - Throws: `StoreError.invalidRequest` for an attribute that no store can hold.
  init(_ model: ModelDefinition, numbers: [Int64]) throws {
    self.model = model
    self.numbers = numbers
    for entity in model.entities where entity.parent == nil {
      tableNameByRoot[entity.index] = tableNames.add(entity.name)
      columnNames[entity.index] = ServerNames(reserved: Layout.serverColumns)
      columnsByTable[entity.index] = []
    }
    for entity in model.entities { try addColumns(of: entity) }
    for entity in model.entities { addMembers(of: entity) }
  }

  var tables: [TableLayout] {
    model.entities.filter { $0.parent == nil }.map { root in
      TableLayout(
        name: table(root.index),
        root: root.index,
        columns: columnsByTable[root.index] ?? []
      )
    }
  }

  private func table(_ entity: Int) -> String { tableNameByRoot[model.entities[entity].root] ?? "" }

  // MARK: Columns

  private mutating func addColumns(of entity: EntityDefinition) throws {
    for property in entity.properties
    where property.declaringEntity == entity.index && property.isStored {
      let declared = LayoutBuilder.Declared(entity: entity.index, slot: property.slot)
      if let attribute = property.attribute {
        if let obstacle = attribute.obstacle {
          throw StoreError(
            .invalidRequest,
            "a PostgreSQL store cannot hold the attribute \(entity.name).\(property.name), because "
              + "\(obstacle); change the attribute, or make the attribute transient"
          )
        }
        columns[declared] = attributeColumn(property, attribute, of: entity)
      } else {
        columns[declared] = toOneColumn(property, of: entity)
      }
    }
  }

  /// Adds a column to an entity's table and returns its name; a name that is taken is preceded by the entity's.
  private mutating func add(_ name: String, _ type: String, to entity: EntityDefinition) -> String {
    let isTaken = columnNames[entity.root]?.contains(name) ?? false
    let wanted = isTaken && entity.parent != nil ? "\(entity.name)_\(name)" : name
    let identifier = columnNames[entity.root]?.add(wanted) ?? ""
    columnsByTable[entity.root]?.append(ColumnDefinition(name: identifier, type: type))
    return identifier
  }

  private mutating func attributeColumn(
    _ property: PropertyDefinition,
    _ attribute: AttributeDefinition,
    of entity: EntityDefinition
  ) -> PropertyColumn {
    var column = PropertyColumn(
      slot: property.slot,
      kind: SlotKind(attribute.type),
      name: "",
      entityColumn: nil,
      orderColumn: nil,
      destination: 0,
      isTagged: false
    )
    if attribute.type == .composite {
      column.parts = attribute.elements.map { element in
        let name = ([property.name] + element.path).joined(separator: "_")
        let kind = SlotKind(element.attribute.type)
        return PropertyColumn.Part(
          column: plain(property.slot, kind, add(name, Self.type(kind), to: entity)),
          element: element
        )
      }
      return column
    }
    let kind = SlotKind(attribute.type)
    return plain(property.slot, kind, add(property.name, Self.type(kind), to: entity))
  }

  private func plain(_ slot: Int, _ kind: SlotKind, _ name: String) -> PropertyColumn {
    PropertyColumn(
      slot: slot,
      kind: kind,
      name: name,
      entityColumn: nil,
      orderColumn: nil,
      destination: 0,
      isTagged: false
    )
  }

  private mutating func toOneColumn(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) -> PropertyColumn? {
    guard let relationship = property.relationship else { return nil }
    let destination = model.entities[relationship.destination]
    let name = add(property.name, "bigint", to: entity)
    references.append(
      ServerReference(
        table: table(entity.index),
        column: name,
        destination: table(destination.index),
        isJoin: false
      )
    )
    let inverse = relationship.inverse.flatMap { destination.properties[$0].relationship }
    let isOrdered = inverse.map { $0.isToMany && $0.isOrdered } ?? false
    return PropertyColumn(
      slot: property.slot,
      kind: .reference,
      name: name,
      entityColumn: destination.children.isEmpty
        ? nil : add(property.name + "_entity", "integer", to: entity),
      orderColumn: isOrdered ? add(property.name + "_order", "bigint", to: entity) : nil,
      destination: relationship.destination,
      isTagged: false
    )
  }

  /// Returns the type of the column for a kind of values.
  ///
  /// The collation `C` compares texts by their bytes, as predicates do in memory.
  static func type(_ kind: SlotKind) -> String {
    switch kind {
    case .integer, .reference: "bigint"
    case .boolean: "boolean"
    case .double, .date: "double precision"
    case .decimal: "numeric"
    case .text, .url: "text COLLATE \"C\""
    case .uuid: "uuid"
    case .data, .opaque, .none: "bytea"
    }
  }

  // MARK: To-many relationships

  private mutating func addMembers(of entity: EntityDefinition) {
    for property in entity.properties
    where property.declaringEntity == entity.index && property.isToMany && !property.isTransient {
      guard let relationship = property.relationship else { continue }
      let declared = LayoutBuilder.Declared(entity: entity.index, slot: property.slot)
      if members[declared] != nil { continue }
      let destination = model.entities[relationship.destination]
      guard let slot = relationship.inverse else {
        members[declared] = hiddenMembers(property, relationship, of: entity, destination)
        continue
      }
      let inverse = destination.properties[slot]
      let other = LayoutBuilder.Declared(entity: inverse.declaringEntity, slot: slot)
      if inverse.isToMany, !inverse.isTransient {
        addJoin(naming: declared, property, inverse: other, inverse)
      } else if let column = columns[other] {
        members[declared] = MemberLayout(
          table: table(destination.index),
          ownerColumn: column.name,
          memberColumn: "z_pk",
          orderColumn: relationship.isOrdered ? column.orderColumn : nil,
          isJoin: false,
          isHidden: false
        )
      }
    }
  }

  private mutating func hiddenMembers(
    _ property: PropertyDefinition,
    _ relationship: RelationshipDefinition,
    of entity: EntityDefinition,
    _ destination: EntityDefinition
  ) -> MemberLayout {
    let base = "\(entity.name)_\(property.name)"
    let name = add(base, "bigint", to: destination)
    references.append(
      ServerReference(
        table: table(destination.index),
        column: name,
        destination: table(entity.index),
        isJoin: false
      )
    )
    return MemberLayout(
      table: table(destination.index),
      ownerColumn: name,
      memberColumn: "z_pk",
      orderColumn: relationship.isOrdered ? add(base + "_order", "bigint", to: destination) : nil,
      isJoin: false,
      isHidden: true
    )
  }

  /// Adds the table of a many-to-many relationship, which is named after the side that comes first in the model.
  ///
  /// Each column is named after the relationship whose members its keys are.
  private mutating func addJoin(
    naming named: LayoutBuilder.Declared,
    _ property: PropertyDefinition,
    inverse other: LayoutBuilder.Declared,
    _ inverse: PropertyDefinition
  ) {
    let table = tableNames.add("\(model.entities[named.entity].name)_\(property.name)")
    var names = ServerNames(reserved: [])
    let member = names.add(property.name)
    let owner = names.add(inverse.name)
    let order = property.relationship?.isOrdered == true ? names.add(property.name + "_order") : nil
    let isOwnInverse = named == other
    let inverseOrder =
      !isOwnInverse && inverse.relationship?.isOrdered == true
      ? names.add(inverse.name + "_order") : nil
    joins.append(
      JoinLayout(
        name: table,
        columns: [owner, member] + [inverseOrder, order].compactMap(\.self),
        isReverseIndexed: true
      )
    )
    for (column, entity) in [(owner, named.entity), (member, other.entity)] {
      references.append(
        ServerReference(
          table: table,
          column: column,
          destination: self.table(entity),
          isJoin: true
        )
      )
    }
    members[named] = MemberLayout(
      table: table,
      ownerColumn: owner,
      memberColumn: member,
      orderColumn: order,
      isJoin: true,
      isHidden: false
    )
    if isOwnInverse { return }
    members[other] = MemberLayout(
      table: table,
      ownerColumn: member,
      memberColumn: owner,
      orderColumn: inverseOrder,
      isJoin: true,
      isHidden: false
    )
  }

  // MARK: Entities

  var entities: [EntityLayout] {
    model.entities.map { entity in
      var bySlot = [Int](repeating: -1, count: entity.properties.count)
      var own: [PropertyColumn] = []
      for slot in entity.storedSlots {
        let declaring = entity.properties[slot].declaringEntity
        guard let column = columns[LayoutBuilder.Declared(entity: declaring, slot: slot)] else {
          continue
        }
        bySlot[slot] = own.count
        own.append(column)
      }
      var toManys: [Int: MemberLayout] = [:]
      for slot in entity.toManySlots {
        let declaring = entity.properties[slot].declaringEntity
        toManys[slot] = members[LayoutBuilder.Declared(entity: declaring, slot: slot)]
      }
      return EntityLayout(
        entity: entity.index,
        table: table(entity.index),
        number: numbers[entity.index],
        sharesTable: !model.entities[entity.root].children.isEmpty,
        columns: own,
        columnIndexBySlot: bySlot,
        members: toManys
      )
    }
  }
}

/// Makes unique identifiers of at most 63 bytes, as PostgreSQL's are, from names of the model.
///
/// A longer name is cut and ends with a hash of the whole name, because the server would cut it silently.
struct ServerNames {
  private var used: Set<String>

  init(reserved: [String]) { used = Set(reserved) }

  func contains(_ name: String) -> Bool { used.contains(Self.short(name)) }

  /// Returns the name in quotes; underscores and a number are appended to a name that is taken.
  mutating func add(_ name: String) -> String {
    var unique = Self.short(name)
    var count = 1
    while !used.insert(unique).inserted {
      count += 1
      unique = Self.short("\(name)_\(count)")
    }
    return "\""
      + unique.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }

  private static func short(_ name: String) -> String {
    if name.utf8.count <= 63 { return name }
    // FNV-1a, which is the same in every process.
    var hash: UInt32 = 2_166_136_261
    for byte in name.utf8 { hash = (hash ^ UInt32(byte)) &* 16_777_619 }
    var prefix = name
    while prefix.utf8.count > 54 { prefix.removeLast() }
    let digits = String(hash, radix: 16)
    return prefix + "_" + String(repeating: "0", count: 8 - digits.count) + digits
  }
}
#endif
