// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel

extension Importer {
  /// Checks a record against the model and converts its values to the model's types.
  ///
  /// - Throws: `ToolError` with file, line, entity and property.
  func item(_ number: Int, _ record: TransferRecord) throws -> Item {
    guard let name = record.entity ?? entityOfFile else {
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
        hint: "Name a sub-entity of \(entity.name)."
      )
    }
    var item = Item(number: number, line: record.line, id: record.id, entity: entity)
    let values = try composed(record, of: entity)
    for (name, value) in values.sorted(by: { utf8Less($0.key, $1.key) }) {
      guard let property = entity.property(namedNowOrBefore: name) else {
        if options.ignoresUnknown { continue }
        throw ToolError(
          "\(location(record.line)): \(entity.name) has no property “\(name)”",
          hint: Suggestion.text(for: name, among: entity.properties.map(\.name))
            + " (--ignore-unknown skips it)"
        )
      }
      if name != property.name, values[property.name] != nil {
        throw ToolError(
          "\(location(record.line)): \(entity.name).\(property.name) is given twice, the second time with its "
            + "former name “\(name)”",
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
        let shown = String(JSONText.value(value).prefix(60))
        throw ToolError(
          "\(name): \(shown) is not a value of type \(attribute.type.traits.modelFileName)"
        )
      }
      item.attributes.append((property.slot, read))
    case .relationship(let relationship):
      let members = try targets(value, relationship, name)
      if !relationship.isToMany, members.count > 1 {
        throw ToolError("\(name): a to-one relationship has one object, not \(members.count)")
      }
      item.references.append((property.slot, members))
    case .fetched:
      throw ToolError(
        "\(name): a fetched property cannot be set",
        hint: "Remove it from the record."
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
      // Lists and compound keys in a CSV field are JSON.
      return try targets(parsed(text, name), relationship, name)
    default: return [try reference(value, relationship, name)]
    }
  }

  /// The maximum number of names in a path to an element of a composite attribute; models have two or three.
  private static let pathLimit = 64

  /// Returns the values of a record, in which fields such as `place.lat` are combined into the dictionary of
  /// the composite attribute `place`.
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
        throw ToolError(
          "\(location(record.line)): \(entity.name).\(name) is given as a whole and by its elements",
          hint: "Write only one of the two forms."
        )
      }
      values[name] = value
    }
    return values
  }

  /// Parses a dictionary.
  ///
  /// In a CSV field a dictionary is written as JSON.
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
        "\(name): \(JSONText.value(value).prefix(60)) is one value, but the natural key of "
          + "\(destination.name) consists of \(natural.names.joined(separator: " and "))",
        hint: "Write an object with these names."
      )
    }
    let scope = opened.model.entities[natural.scope]
    let values = zip(natural.names, given).compactMap { key, value -> Value? in
      let type = scope.property(named: key)?.attribute?.type ?? .undefined
      return TransferValue.read(value, as: type)
    }
    guard values.count == natural.names.count, let text = NaturalKeys.text(values) else {
      throw ToolError(
        "\(name): \(JSONText.value(value).prefix(60)) is not a value for the natural key "
          + "(\(natural.names.joined(separator: ", "))) of \(destination.name)",
        hint: "Pass a value of the attribute's type for each attribute of the key."
      )
    }
    return .key(
      scope: natural.scope,
      text: text,
      shown: "\(destination.name) \(JSONText.value(value))"
    )
  }
}
