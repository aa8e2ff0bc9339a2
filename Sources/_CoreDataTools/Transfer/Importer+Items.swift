// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel

extension Importer {
  /// Checks a record against the model, and converts its values to the types of the attributes.
  ///
  /// - Throws: `ToolError` for a record or value that does not match the model.
  func item(_ number: Int, _ record: TransferRecord) throws -> Item {
    guard let name = record.entity ?? entityOfFile else {
      if let value = record.values["$entity"] { throw invalid(value, "$entity", record.line) }
      throw ToolError(
        "\(location(record.line)): the record does not name its entity",
        hint: "Pass --entity, or add “$entity” to each record."
      )
    }
    let entity: EntityDefinition
    do {
      entity = try opened.entity(named: name)
    } catch let error as ToolError {
      throw ToolError("\(location(record.line)): \(error.message)", hint: error.hint)
    }
    if entity.isAbstract {
      throw ToolError(
        "\(location(record.line)): \(entity.name) is abstract and cannot have objects",
        hint: concreteNames(entity)
      )
    }
    var item = Item(number: number, line: record.line, id: record.id, entity: entity)
    let values = try composed(record, of: entity)
    for (name, value) in values.sorted(by: { utf8Less($0.key, $1.key) }) {
      guard let property = entity.property(namedNowOrBefore: name) else {
        if options.ignoresUnknown { continue }
        if name == "$id" || name == "$entity" { throw invalid(value, name, record.line) }
        throw ToolError(
          "\(location(record.line)): \(entity.name) has no property “\(name)”",
          hint: Suggestion.text(for: name, among: entity.properties.map(\.name))
            + " (--ignore-unknown skips “\(name)”)"
        )
      }
      if name != property.name, values[property.name] != nil {
        throw ToolError(
          "\(location(record.line)): \(entity.name).\(property.name) is given twice: as "
            + "“\(property.name)” and by its former name “\(name)”",
          hint: "Remove one of the two values."
        )
      }
      try read(value, property, record.line, into: &item)
    }
    if let natural = keys.key(of: entity.index) {
      let values = natural.names.map { name in
        item.attributes.first { entity.properties[$0.0].name == name }?.1 ?? .null
      }
      item.key = NaturalKeys.text(values)
    }
    return item
  }

  private func invalid(_ value: Value, _ name: String, _ line: Int) -> ToolError {
    let types = name == "$id" ? "a string or an integer" : "a string"
    return ToolError(
      "\(location(line)): the value of “\(name)” must be \(types), not \(TransferValue.shown(value))"
    )
  }

  private func concreteNames(_ entity: EntityDefinition) -> String {
    let concrete = entity.family.map { opened.model.entities[$0] }.filter { !$0.isAbstract }
    if concrete.isEmpty {
      return "The entity has no concrete subentity. Make the entity concrete in the model."
    }
    let names = concrete.map(\.name)
    return names.count == 1
      ? "Write the subentity \(names[0]) as the entity of the record."
      : "Write one of the subentities as the entity of the record: \(names.joined(separator: ", "))."
  }

  private func read(
    _ value: Value,
    _ property: PropertyDefinition,
    _ line: Int,
    into item: inout Item
  ) throws {
    let name = "\(location(line)): \(item.entity.name).\(property.name)"
    switch property.kind {
    case .attribute(let attribute):
      if attribute.derivation != nil { return }
      if attribute.type == .composite {
        let reader = CompositeReader(attribute.elements, ignoresUnknown: options.ignoresUnknown)
        item.attributes.append((property.slot, try reader.record(composite(value, name), name)))
        return
      }
      guard let read = TransferValue.read(value, as: attribute.type) else {
        throw TransferValue.mismatch(value, attribute.type, at: name)
      }
      item.attributes.append((property.slot, read))
    case .relationship(let relationship):
      let members = try targets(value, relationship, name)
      if !relationship.isToMany, members.count > 1 {
        throw ToolError(
          "\(name): the relationship is to-one, but \(CellText.objects(members.count)) are given",
          hint: "Write one object, or null."
        )
      }
      item.references.append((property.slot, members))
    case .fetched:
      throw ToolError(
        "\(name): a fetched property cannot be set",
        hint: "Remove the property from the record."
      )
    }
  }

  private func targets(
    _ value: Value,
    _ relationship: RelationshipDefinition,
    _ name: String
  ) throws -> [Reference] {
    switch value {
    case .null: return []
    case .collection(let collection):
      return try collection.members.flatMap { try targets($0, relationship, name) }
    case .text(let text) where text.hasPrefix("[") || text.hasPrefix("{"):
      // CSV fields contain lists and objects as JSON.
      return try targets(parsed(text, name), relationship, name)
    default: return [try reference(value, relationship, name)]
    }
  }

  /// The maximum number of components in a field name; `place.lat` has two.
  private static let pathLimit = 64

  /// Returns the record's values; fields such as `place.lat` are combined into a dictionary for the composite
  /// attribute `place`.
  ///
  /// - Throws: `ToolError` if a composite value is given both as a whole and by its elements.
  private func composed(
    _ record: TransferRecord,
    of entity: EntityDefinition
  ) throws -> [String: Value] {
    var values: [String: Value] = [:]
    var parts: [String: [(path: [String], value: Value)]] = [:]
    for (name, value) in record.values {
      let path = name.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
      if 2...Self.pathLimit ~= path.count, entity.property(namedNowOrBefore: name) == nil,
        entity.property(namedNowOrBefore: path[0])?.attribute?.type == .composite
      {
        parts[path[0], default: []].append((Array(path.dropFirst()), value))
      } else {
        values[name] = value
      }
    }
    for (name, parts) in parts {
      guard values[name] == nil, let value = CompositeReader.dictionary(parts) else {
        let paths = values[name] == nil ? parts.map(\.path) : [[]]
        // A path that is a prefix of another path. The path is empty if the record also has a value for the
        // whole attribute.
        let whole = paths.first { path in
          parts.contains { $0.path.count > path.count && $0.path.starts(with: path) }
        }
        let place = ([entity.name, name] + (whole ?? [])).joined(separator: ".")
        throw ToolError(
          "\(location(record.line)): \(place) is given both as a whole and by its elements",
          hint: "Write only one of the two forms."
        )
      }
      values[name] = value
    }
    return values
  }

  /// Returns the value or, if it is a text that begins with `{`, the dictionary that the text contains.
  ///
  /// CSV fields contain dictionaries as JSON.
  private func composite(_ value: Value, _ name: String) throws -> Value {
    if case .text(let text) = value, text.hasPrefix("{") { return try parsed(text, name) }
    return value
  }

  private func parsed(_ text: String, _ name: String) throws -> Value {
    var reader = JSONReader(text, name: name)
    return try reader.value()
  }

  private func reference(
    _ value: Value,
    _ relationship: RelationshipDefinition,
    _ name: String
  ) throws -> Reference {
    if case .dictionary(let members) = value, let id = RecordFile.id(members["$id"]) {
      return .id(id)
    }
    if case .dictionary(let members) = value, let id = members["$id"] {
      throw ToolError(
        "\(name): the value of “$id” must be a string or an integer, not \(TransferValue.shown(id))"
      )
    }
    let destination = opened.model.entities[relationship.destination]
    guard let natural = keys.key(of: destination.index) else {
      throw ToolError(
        "\(name): \(destination.name) has no natural key",
        hint: "Write {\"$id\": …}, or pass --key \(destination.name):attribute."
      )
    }
    let given: [Value]
    if case .dictionary(let members) = value {
      let scope = opened.model.entities[natural.scope]
      given = natural.names.map { name in
        members[name] ?? scope.property(named: name)?.renamingIdentifier.flatMap { members[$0] }
          ?? .null
      }
    } else if natural.names.count == 1 {
      given = [value]
    } else {
      throw ToolError(
        "\(name): \(TransferValue.shown(value)) is one value, but the natural key of "
          + "\(destination.name) consists of the attributes \(natural.names.joined(separator: ", "))",
        hint: "Write an object with a value for each of these attributes."
      )
    }
    let scope = opened.model.entities[natural.scope]
    let values = try zip(natural.names, given).map { key, value -> Value in
      let type = scope.property(named: key)?.attribute?.type ?? .undefined
      guard let read = TransferValue.read(value, as: type) else {
        throw TransferValue.mismatch(value, type, at: "\(name): \(destination.name).\(key)")
      }
      return read
    }
    guard let text = NaturalKeys.text(values) else {
      throw ToolError(
        "\(name): \(TransferValue.shown(value)) does not have a value for each attribute of the natural "
          + "key of \(destination.name) (\(natural.names.joined(separator: ", ")))",
        hint: "Write a value other than null for each of these attributes, or write {\"$id\": …}."
      )
    }
    return .key(
      scope: natural.scope,
      text: text,
      shown: "\(destination.name) \(JSONText.value(value))"
    )
  }
}
