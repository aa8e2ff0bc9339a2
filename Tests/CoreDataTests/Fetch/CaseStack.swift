// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import PredicateCases

/// A data set of the shared cases in a store: model, rows and a context.
final class CaseStack {
  let container: NSPersistentContainer
  let entityName: String
  /// The objects by the data set's ids.
  private(set) var objects: [String: NSManagedObject] = [:]
  private let folder: URL
  /// Not the view context, whose pending changes the main queue processes while tests run elsewhere.
  let context: NSManagedObjectContext

  /// `known` has the attributes of entities as other sets tell them; `describe` returns the description of a new
  /// store, for which a folder exists.
  init(
    _ set: JSON,
    known: [String: [String: String]],
    describe: (URL) -> NSPersistentStoreDescription = CaseStack.file
  ) throws {
    var shape = CaseShape(set, known: known)
    entityName = shape.entity
    folder = FileManager.default.temporaryDirectory
      .appendingPathComponent("coredata-case-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    container = NSPersistentContainer(name: "Cases", managedObjectModel: shape.model())
    container.persistentStoreDescriptions = [describe(folder)]
    var failure: (any Error)?
    container.loadPersistentStores { failure = $1 }
    if let failure { throw failure }
    context = container.newBackgroundContext()
    for (entity, rows) in shape.rows {
      for (index, row) in rows.enumerated() {
        let object = NSEntityDescription.insertNewObject(forEntityName: entity, into: context)
        objects[row["$id"]?.text ?? "\(entity)\(index)"] = object
      }
    }
    for (entity, rows) in shape.rows {
      for (index, row) in rows.enumerated() {
        guard case .object(let values) = row else { continue }
        let object = objects[row["$id"]?.text ?? "\(entity)\(index)"]
        for (key, value) in values where key != "$id" && value != .null {
          object?.setValue(any(value), forKey: key)
        }
      }
    }
    try context.save()
  }

  /// The description of an SQLite file in a folder.
  static func file(_ folder: URL) -> NSPersistentStoreDescription {
    NSPersistentStoreDescription(url: folder.appendingPathComponent("Cases.sqlite"))
  }

  deinit {
    let coordinator = container.persistentStoreCoordinator
    for store in coordinator.persistentStores { try? coordinator.remove(store) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// The value as a program would pass it.
  func any(_ json: JSON) -> Any {
    switch json {
    case .null: return NSNull()
    case .bool(let flag): return NSNumber(value: flag)
    case .int(let number): return NSNumber(value: number)
    case .double(let number): return NSNumber(value: number)
    case .text(let text): return text
    case .array(let members): return members.map(any)
    case .object(let members):
      guard let (key, content) = members.first, members.count == 1 else { return NSNull() }
      return special(key, content)
    }
  }

  private func special(_ key: String, _ content: JSON) -> Any {
    switch (key, content) {
    case ("$date", .int(let seconds)): return Date(timeIntervalSince1970: Double(seconds))
    case ("$date", .double(let seconds)): return Date(timeIntervalSince1970: seconds)
    case ("$data", .text(let digits)):
      let digits = Array(digits)
      return Data(
        stride(from: 0, to: digits.count, by: 2).map {
          UInt8(String(digits[$0...$0 + 1]), radix: 16) ?? 0
        }
      )
    case ("$uuid", .text(let text)): return UUID(uuidString: text) ?? NSNull()
    case ("$ref", .text(let id)): return objects[id] ?? NSNull()
    case ("$refs", .array(let ids)): return NSSet(array: references(ids))
    case ("$list", .array(let ids)): return NSOrderedSet(array: references(ids))
    case ("$set", .array(let members)): return NSSet(array: members.map(any))
    case ("$expr", .text(let text)): return NSExpression(format: text)
    default: return NSNull()
    }
  }

  private func references(_ ids: [JSON]) -> [NSManagedObject] {
    ids.compactMap { id in id.text.flatMap { objects[$0] } }
  }

  /// The ids of the objects that a predicate finds.
  func found(_ predicate: NSPredicate) throws -> [String] {
    let request = NSFetchRequest<NSManagedObject>(entityName: entityName)
    request.predicate = predicate
    let context = container.newBackgroundContext()
    let ids = Dictionary(uniqueKeysWithValues: objects.map { ($1.objectID, $0) })
    return try context.fetch(request).compactMap { ids[$0.objectID] }
  }
}

/// What of a data set becomes a model: entities with their attributes and relationships.
private struct CaseShape {
  let entity: String
  private(set) var rows: [(entity: String, rows: [JSON])] = []
  /// Entity → property → type, as the data sets write types.
  private var types: [String: [String: String]] = [:]
  private var entityOfID: [String: String] = [:]

  init(_ set: JSON, known: [String: [String: String]]) {
    entity = set["entity"]?.text ?? ""
    rows.append((entity, set["rows"]?.elements ?? []))
    types[entity] = Self.attributes(set)
    if case .object(let others)? = set["others"] {
      for (name, members) in others.sorted(by: { $0.key < $1.key }) where name != entity {
        rows.append((name, members.elements))
        types[name] = known[name] ?? [:]
      }
      if let more = others[entity] { rows[0].rows += more.elements }
    }
    for (name, rows) in rows {
      for row in rows { if let id = row["$id"]?.text { entityOfID[id] = name } }
    }
    for (name, rows) in rows { for row in rows { learn(name, row) } }
    for properties in types.values {
      for type in properties.values {
        guard let name = Self.destination(type), types[name] == nil else { continue }
        types[name] =
          known[name]?.filter { Self.destination($0.value) == nil } ?? ["none": "String"]
      }
    }
  }

  static func attributes(_ set: JSON) -> [String: String] {
    guard case .object(let attributes)? = set["attributes"] else { return [:] }
    return attributes.compactMapValues(\.text)
  }

  static func destination(_ type: String) -> String? {
    guard type.hasPrefix("toOne:") || type.hasPrefix("toMany:") else { return nil }
    let name = type.drop { $0 != ":" }.dropFirst()
    return String(name.prefix { $0 != " " })
  }

  /// The inverse that a type names: `toOne:Account inverse members`.
  private static func inverse(_ type: String) -> String? {
    let words = type.split(separator: " ")
    guard let at = words.firstIndex(of: "inverse"), at + 1 < words.count else { return nil }
    return String(words[at + 1])
  }

  /// Properties that the set does not name get the type of their values.
  private mutating func learn(_ name: String, _ row: JSON) {
    guard case .object(let values) = row else { return }
    for (key, value) in values where key != "$id" {
      let known = types[name]?[key]
      if known != nil, !(known == "Int64" && isReal(value)) { continue }
      if let type = type(of: value) { types[name, default: [:]][key] = type }
    }
  }

  private func isReal(_ value: JSON) -> Bool { if case .double = value { true } else { false } }

  private func type(of value: JSON) -> String? {
    switch value {
    case .null: return nil
    case .bool: return "Boolean"
    case .int: return "Int64"
    case .double: return "Double"
    case .text: return "String"
    case .array: return "Transformable"
    case .object(let members):
      guard let (key, content) = members.first else { return nil }
      switch (key, content) {
      case ("$date", _): return "Date"
      case ("$data", _): return "Binary"
      case ("$uuid", _): return "UUID"
      case ("$ref", .text(let id)): return entityOfID[id].map { "toOne:\($0)" }
      case ("$refs", .array(let ids)):
        return ids.first?.text.flatMap { entityOfID[$0] }.map { "toMany:\($0)" }
      case ("$list", .array(let ids)):
        return ids.first?.text.flatMap { entityOfID[$0] }.map { "toMany:\($0)" }
      default: return nil
      }
    }
  }

  /// The inverse that either side names.
  private func inverse(
    of key: String,
    in name: String,
    _ type: String,
    _ target: String
  ) -> String? {
    if let named = Self.inverse(type), types[target]?[named] != nil { return named }
    return types[target]?.first { other in
      Self.destination(other.value) == name && Self.inverse(other.value) == key
    }?.key
  }

  mutating func model() -> NSManagedObjectModel {
    var entities: [String: NSEntityDescription] = [:]
    var properties: [String: [NSPropertyDescription]] = [:]
    var pairs: [(NSRelationshipDescription, String, String)] = []
    for name in types.keys {
      let entity = NSEntityDescription()
      entity.name = name
      entities[name] = entity
    }
    for (name, members) in types {
      for (key, type) in members {
        guard let target = Self.destination(type), let destination = entities[target] else {
          properties[name, default: []].append(Self.attribute(key, type))
          continue
        }
        let forward = Self.relationship(key, destination, many: type.hasPrefix("toMany:"))
        properties[name, default: []].append(forward)
        if let named = inverse(of: key, in: name, type, target) {
          pairs.append((forward, target, named))
          continue
        }
        // With an inverse to-many a member may have several owners.
        let inverse = Self.relationship("inverse_\(name)_\(key)", entities[name], many: true)
        forward.inverseRelationship = inverse
        inverse.inverseRelationship = forward
        properties[target, default: []].append(inverse)
      }
    }
    for (forward, target, named) in pairs {
      forward.inverseRelationship =
        properties[target]?.first { $0.name == named } as? NSRelationshipDescription
    }
    for (name, members) in properties { entities[name]?.properties = members }
    let model = NSManagedObjectModel()
    model.entities = entities.keys.sorted().compactMap { entities[$0] }
    return model
  }

  private static func attribute(_ name: String, _ type: String) -> NSAttributeDescription {
    let attribute = NSAttributeDescription()
    attribute.name = name
    attribute.isOptional = true
    attribute.attributeType =
      switch type {
      case "Int64", "Int32": .integer64AttributeType
      case "Double": .doubleAttributeType
      case "Boolean": .booleanAttributeType
      case "Date": .dateAttributeType
      case "Decimal": .decimalAttributeType
      case "Binary": .binaryDataAttributeType
      case "UUID": .UUIDAttributeType
      case "String": .stringAttributeType
      default: .transformableAttributeType
      }
    return attribute
  }

  private static func relationship(
    _ name: String,
    _ destination: NSEntityDescription?,
    many: Bool
  ) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.name = name
    relationship.destinationEntity = destination
    relationship.maxCount = many ? 0 : 1
    relationship.isOptional = true
    return relationship
  }
}

/// The data sets with their stores, each made once.
final class CaseStacks {
  private let sets: [String: JSON]
  private var made: [String: CaseStack] = [:]
  private var known: [String: [String: String]] = [:]

  private let describe: (URL) -> NSPersistentStoreDescription

  /// The stores are SQLite files unless `describe` returns others.
  init(
    _ describe: @escaping (URL) -> NSPersistentStoreDescription = CaseStack.file
  ) throws {
    self.describe = describe
    let url = Shared.root.appendingPathComponent("cases/datasets.json")
    guard
      case .object(let sets) = try Shared.json(String(contentsOf: url, encoding: .utf8))
    else {
      self.sets = [:]
      return
    }
    self.sets = sets
    for set in sets.values {
      guard let entity = set["entity"]?.text else { continue }
      known[entity, default: [:]].merge(CaseShape.attributes(set)) { first, _ in first }
    }
  }

  /// The store of a set; nil where the set is not meant for one.
  func stack(_ name: String) throws -> CaseStack? {
    if let stack = made[name] { return stack }
    guard let set = sets[name], set["sqliteUsable"] == .bool(true) else { return nil }
    let stack = try CaseStack(set, known: known, describe: describe)
    made[name] = stack
    return stack
  }
}
