// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Reconstructs the model of a store from its tables, for a file without a usable copy of the model.
///
/// Entities and their inheritance come from `Z_PRIMARYKEY`. An integer column with a companion column becomes
/// a to-one: `ZOWNER` with the companion `Z3_OWNER` refers to entity number 3. An indexed integer column that
/// is named after exactly one entity becomes a to-one to that entity. A hidden column contains the owner of a
/// to-many without an inverse: `Z8REMOVED` becomes the to-many `removed` of entity number 8. Any other column
/// becomes an attribute of the root entity of its table, with the declared type. A join table becomes a
/// many-to-many relationship.
struct StoredTables {
  private let path: String
  /// `Z_ENT` → name, without the framework's own entities.
  private var names: [Int64: String] = [:]
  private var parents: [Int64: Int64] = [:]
  private let columns: [String: [ColumnDefinition]]
  private var indexedColumns: Set<String> = []

  init(_ connection: Connection, path: String) throws {
    self.path = path
    for entity in try PrimaryKeyTable(connection).entities()
    where entity.number > 0 && !entity.isReserved {
      names[entity.number] = entity.name
      if entity.parent > 0 { parents[entity.number] = entity.parent }
    }
    let catalogue = StoreCatalogue(connection)
    columns = try catalogue.columns()
    let suffix = "_INDEX"
    for (table, index) in try catalogue.indexes()
    where index.hasPrefix(table + "_") && index.hasSuffix(suffix) {
      indexedColumns.insert(table + "." + index.dropFirst(table.count + 1).dropLast(suffix.count))
    }
  }

  // MARK: Entities

  func draft() throws -> ModelDraft {
    var entities: [Int64: EntityDraft] = [:]
    for (number, name) in names {
      var entity = EntityDraft(name: name)
      entity.parent = parents[number].flatMap { names[$0] }
      entities[number] = entity
    }
    for number in names.keys.sorted() where parents[number] == nil {
      try readTable(ofRoot: number, into: &entities)
    }
    for table in columns.keys.sorted() { readJoin(table, into: &entities) }
    var draft = ModelDraft()
    draft.entities = entities.values.sorted { utf8Less($0.name, $1.name) }
    draft.file = path
    return draft
  }

  private func readTable(
    ofRoot number: Int64,
    into entities: inout [Int64: EntityDraft]
  ) throws {
    let table = Layout.name(names[number] ?? "")
    guard let columns = columns[table] else { return }
    let companions = Self.companions(columns.map(\.name))
    for definition in columns {
      let (column, type) = (definition.name, definition.type)
      if column.hasPrefix("Z_") || !column.hasPrefix("Z") || Self.companion(column) != nil {
        continue
      }
      if let (owner, name) = Self.hidden(column), entities[owner] != nil {
        let isOrdered = columns.contains { $0.name == "Z_FOK_" + column.dropFirst() }
        var relationship = RelationshipDraft(destination: names[number] ?? "")
        relationship.maxCount = 0
        relationship.isOrdered = isOrdered
        add(name, .relationship(relationship), to: &entities[owner])
        continue
      }
      let name = column.dropFirst().lowercased()
      if let destination = destination(of: column, type: type, in: table, companions) {
        var relationship = RelationshipDraft(destination: destination)
        relationship.deleteRule = .noAction
        add(name, .relationship(relationship), to: &entities[number])
      } else {
        add(name, .attribute(AttributeDefinition(type: Self.type(type))), to: &entities[number])
      }
    }
  }

  /// Adds a property, unless the entity already has a property with this name.
  ///
  /// The property is not renamed, because its name must match the name of its column.
  private func add(_ name: String, _ kind: PropertyDraft.Kind, to entity: inout EntityDraft?) {
    let taken = Set(entity?.properties.map(\.name) ?? [])
    if taken.contains(name) { return }
    entity?.properties.append(PropertyDraft(name: name, kind: kind))
  }

  private func destination(
    of column: String,
    type: String,
    in table: String,
    _ companions: [String: Int64]
  ) -> String? {
    guard type == "INTEGER" else { return nil }
    if let number = companions[column] { return names[number] }
    guard indexedColumns.contains(table + "." + column) else { return nil }
    let named = names.values.filter { Layout.name($0) == column }
    return named.count == 1 ? named.first : nil
  }

  /// Returns the entity number of each to-one column that has a companion column.
  ///
  /// For example, the column `Z3_OWNER` results in the entry `ZOWNER` → 3.
  private static func companions(_ columns: [String]) -> [String: Int64] {
    var companions: [String: Int64] = [:]
    for column in columns {
      if let (number, name) = companion(column) { companions["Z" + name] = number }
    }
    return companions
  }

  private static func companion(_ column: String) -> (Int64, Substring)? {
    guard let (number, tail) = numbered(column.dropFirst()), tail.hasPrefix("_") else { return nil }
    return (number, tail.dropFirst())
  }

  /// Returns the entity number and the lower-case property name in the name of a hidden column; nil for other
  /// columns.
  ///
  /// For example, `Z8REMOVED` results in 8 and `removed`.
  private static func hidden(_ column: String) -> (Int64, String)? {
    guard let (number, tail) = numbered(column.dropFirst()), !tail.hasPrefix("_"), !tail.isEmpty
    else { return nil }
    return (number, tail.lowercased())
  }

  private static func numbered(_ text: Substring) -> (Int64, Substring)? {
    let digits = text.prefix { $0.isASCII && $0.isNumber }
    guard let number = Int64(digits) else { return nil }
    return (number, text.dropFirst(digits.count))
  }

  private static func type(_ declared: String) -> AttributeType {
    switch declared {
    case "INTEGER": .integer64
    case "FLOAT": .double
    case "TIMESTAMP": .date
    case "DECIMAL": .decimal
    case "BLOB": .binaryData
    default: .string
    }
  }

  // MARK: Join tables

  /// Adds both relationships of a join table, or neither if an entity already has a property with the same
  /// name.
  ///
  /// For `Z_1TAGS (Z_1ITEMS, Z_2TAGS)`, entity 1 gets `tags` and entity 2 gets `items`.
  private func readJoin(_ table: String, into entities: inout [Int64: EntityDraft]) {
    guard table.hasPrefix("Z_"), let (owner, name) = Self.numbered(table.dropFirst(2)),
      let columns = columns[table]?.map(\.name)
    else { return }
    let keys = columns.filter { $0.hasPrefix("Z_") && !$0.hasPrefix("Z_FOK_") }
    guard keys.count == 2, entities[owner] != nil,
      let (_, inverseName) = Self.numbered(keys[0].dropFirst(2)),
      let (other, _) = Self.numbered(keys[1].dropFirst(2)), entities[other] != nil
    else { return }
    func relationship(to number: Int64, inverse: Substring, column: String) -> PropertyDraft.Kind {
      var draft = RelationshipDraft(
        destination: names[number] ?? "",
        inverse: inverse.lowercased()
      )
      draft.maxCount = 0
      draft.isOrdered = columns.contains("Z_FOK_" + column.dropFirst(2))
      return .relationship(draft)
    }
    let taken = [(owner, name), (other, inverseName)].contains { number, name in
      entities[number]?.properties.contains { $0.name == name.lowercased() } ?? true
    }
    if taken { return }
    add(
      name.lowercased(),
      relationship(to: other, inverse: inverseName, column: keys[1]),
      to: &entities[owner]
    )
    if other == owner, name == inverseName { return }
    add(
      inverseName.lowercased(),
      relationship(to: owner, inverse: name, column: keys[0]),
      to: &entities[other]
    )
  }
}
