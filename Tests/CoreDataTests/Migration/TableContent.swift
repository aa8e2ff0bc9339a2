// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataTools

/// The objects of a file as its tables have them, read with plain SQL.
struct TableContent {
  /// `Entity/p1` → the values of its columns as SQL literals, by property; an element's by `property.element`.
  private(set) var values: [String: [String: String]] = [:]
  /// Many-to-many relationship as `Entity.property` → pairs of primary keys.
  private(set) var pairs: [String: Set<String>] = [:]

  /// Reads the file; `model` must be the model of the file.
  init(_ url: URL, _ model: ModelDefinition) throws {
    let file = SQLFile(url: url)
    let schema = try StoreFile(path: url.path, access: .untouched).schema()
    let layout = try Layout(
      model: model,
      stored: schema,
      entities: Set(model.entities.map(\.name)).intersection(schema.numbers.keys)
    )
    for place in layout.entities {
      let entity = model.entities[place.entity]
      guard let stored = schema.columns[place.table] else { continue }
      var names: [String] = []
      var columns: [String] = []
      for column in place.columns {
        let property = entity.properties[column.slot]
        for (index, name) in column.names.enumerated() where stored.contains(name) {
          let element = column.parts.isEmpty ? "" : ".\(index)"
          names.append(property.name + element)
          columns.append(name)
        }
      }
      let list = columns.map { " || char(31) || quote(\"\($0)\")" }.joined()
      let rows = try file.texts(
        "SELECT Z_PK\(list) FROM \(place.table) WHERE Z_ENT = \(place.number)"
      )
      for row in rows {
        let parts = row.components(separatedBy: "\u{1F}")
        values["\(entity.name)/p\(parts[0])"] = Dictionary(
          uniqueKeysWithValues: zip(names, parts.dropFirst())
        )
      }
      for (slot, members) in place.members where members.isJoin {
        let property = entity.properties[slot]
        guard property.declaringEntity == entity.index, schema.columns[members.table] != nil else {
          continue
        }
        pairs["\(entity.name).\(property.name)"] = Set(
          try file.texts(
            "SELECT \(members.ownerColumn) || ' ' || \(members.memberColumn) FROM \(members.table)"
          )
        )
      }
    }
  }

  /// What differs from what `mapping` makes of the objects in `before`, a line each.
  func violations(of mapping: ModelMapping, from before: TableContent) -> [String] {
    var found: [String] = []
    var expected = 0
    for (name, old) in before.values.sorted(by: { $0.key < $1.key }) {
      let parts = name.split(separator: "/").map(String.init)
      guard let source = mapping.source.entity(named: parts[0]),
        let index = mapping.destinationEntities[source.index]
      else { continue }
      expected += 1
      let entity = mapping.destination.entities[index]
      guard let new = values["\(entity.name)/\(parts[1])"] else {
        found.append("\(name) is missing")
        continue
      }
      for property in entity.properties where property.isStored {
        let value = new[property.name]
        let wanted = mapping.source(of: property.slot, in: index).flatMap { old[$0.name] }
        if Self.fits(value, wanted, property) { continue }
        found.append("\(name).\(property.name): \(value ?? "-") instead of \(wanted ?? "-")")
      }
    }
    if values.count != expected { found.append("\(values.count) objects instead of \(expected)") }
    return found + pairViolations(of: mapping, from: before)
  }

  private static func fits(
    _ value: String?,
    _ wanted: String?,
    _ property: PropertyDefinition
  ) -> Bool {
    if value == wanted { return true }
    guard let attribute = property.attribute else {
      return wanted == nil && (value ?? "NULL") == "NULL"
    }
    // Elements of a composite, and computed values, have no single column to compare.
    if attribute.type == .composite || attribute.derivation != nil { return true }
    let hasDefault = !attribute.defaultValue.isNull
    guard let wanted else { return (value ?? "NULL") == "NULL" ? !hasDefault : hasDefault }
    if wanted == "NULL" { return !property.isOptional && hasDefault && value != "NULL" }
    // A value that may be in a file of its own has a tag in front.
    let hex = wanted.dropFirst(2).dropLast()
    return attribute.allowsExternalStorage && value == "X'01\(hex)'"
  }

  private func pairViolations(of mapping: ModelMapping, from before: TableContent) -> [String] {
    mapping.destination.entities.flatMap { entity -> [String] in
      entity.properties.compactMap { property in
        let name = "\(entity.name).\(property.name)"
        guard property.declaringEntity == entity.index, let now = pairs[name],
          let source = mapping.source(of: property.slot, in: entity.index)
        else { return nil }
        let owner = mapping.source.entities[source.declaringEntity].name
        guard let was = before.pairs["\(owner).\(source.name)"], was != now else { return nil }
        return "\(name): \(now.count) pairs instead of \(was.count)"
      }
    }
  }
}
