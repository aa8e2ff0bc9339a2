// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataPredicate

extension Importer {
  /// Scope of the natural key → text of the key → object.
  typealias ObjectsByKey = [Int: [String: NSManagedObject]]

  /// Inserts or updates the objects of a block, sets the relationships whose destinations all exist, and
  /// saves.
  ///
  /// If the destination of a mandatory to-one does not exist, the record is skipped and added to `waiting`,
  /// unless the context postpones the validation of mandatory to-ones. If the record is not skipped but one
  /// of its relationships is incomplete, the record is added to `unrelated`.
  func make(_ block: [Item]) throws {
    var wanted: [Int: [String: [Value]]] = [:]
    for item in block {
      if let natural = keys.key(of: item.entity.index), let key = item.key {
        wanted[natural.scope, default: [:]][key] = natural.names.map { name in
          item.attributes.first { item.entity.properties[$0.0].name == name }?.1 ?? .null
        }
      }
    }
    var known = try objects(wanted)
    let targets = try targets(of: block, known)
    var fresh: [(Item, NSManagedObject)] = []
    for item in block {
      guard canMake(item, known, targets) else {
        waiting.insert(item.number)
        continue
      }
      let object = try object(for: item, &known)
      set(item.attributes, of: object, item.entity)
      var isComplete = true
      for reference in item.references {
        let found = reference.targets.compactMap { self.object($0, known, targets) }
        if found.count < reference.targets.count { isComplete = false }
        if found.count == reference.targets.count || isMandatory(reference.slot, of: item.entity) {
          try context.loadForConnecting(object, slot: reference.slot, to: found)
          relate(object, item.entity.properties[reference.slot], found)
        }
      }
      if !isComplete { unrelated.insert(item.number) }
      fresh.append((item, object))
    }
    for (_, object) in fresh {
      if !object.objectID.isTemporaryID {
        if object.hasPersistentChangedValues { report.updated += 1 } else { report.unchanged += 1 }
      }
    }
    try save(fresh)
  }

  private func save(_ fresh: [(Item, NSManagedObject)]) throws {
    report.records += fresh.count
    let inserted = fresh.filter { $0.1.objectID.isTemporaryID }
    report.inserted += Set(inserted.map { ObjectIdentifier($0.1) }).count
    do {
      try context.save()
    } catch {
      let (first, last) = (fresh.first?.0.line ?? 0, fresh.last?.0.line ?? 0)
      let records =
        first == last
        ? "the record on line \(first)" : "the records on lines \(first) to \(last)"
      throw ToolError(
        "\(file.name): \(records) cannot be saved: \(ToolError(error).message)",
        hint: hint("Correct the records.")
      )
    }
    for (item, object) in fresh {
      made[item.number] = object.objectID.key.raw
      if let id = item.id { byID[id] = object.objectID.key.raw }
    }
    context.reset()
  }

  /// Sets the relationships that `make(_:)` could not set, and saves.
  ///
  /// - Throws: `ToolError` if a destination does not exist or the save fails; the errors of a fetch.
  func relate(_ block: [Item]) throws {
    let targets = try targets(of: block, [:])
    var lost: [String] = []
    for item in block {
      if made[item.number] == 0 { continue }
      let object = try context.existingObject(with: id(of: made[item.number]))
      for reference in item.references {
        let found = reference.targets.compactMap { self.object($0, [:], targets) }
        let property = item.entity.properties[reference.slot]
        if found.count < reference.targets.count {
          let missing = reference.targets.filter { self.object($0, [:], targets) == nil }
          lost.append(lacking(missing, reference.slot, of: item))
        }
        try context.loadForConnecting(object, slot: reference.slot, to: found)
        relate(object, property, found)
      }
    }
    if !lost.isEmpty {
      throw ToolError(Self.lines(lost), hint: hint("Add the missing objects."))
    }
    try save(block.last?.line ?? 0)
  }

  // MARK: Errors

  /// Returns an error line about missing destinations of a relationship; `missing` must not be empty.
  func lacking(_ missing: [Reference], _ slot: Int, of item: Item) -> String {
    let others =
      missing.count > 1
      ? " (and to \(CellText.count(missing.count - 1, "more missing object")))" : ""
    let place = "\(location(item.line)): \(item.entity.name).\(item.entity.properties[slot].name)"
    return switch missing[0] {
    case .id(let id): "\(place) refers to the $id “\(id)”, which no record of the file has\(others)"
    case .key(_, _, let shown):
      "\(place) refers to \(shown), which is in neither the file nor the store\(others)"
    }
  }

  static func lines(_ lines: [String]) -> String {
    let others = CellText.count(lines.count - 5, "more relationship")
    let more = lines.count > 5 ? ["and at least \(others) with missing objects"] : []
    return (lines.prefix(5) + more).joined(separator: "\n")
  }

  func hint(_ advice: String) -> String {
    if options.discardsChanges { return advice + " Nothing was written to the store." }
    return advice
      + " Blocks that were saved before the error stay in the store. Importing the file again "
      + "updates objects with a natural key, and inserts the others a second time."
  }

  // MARK: Finding

  private func canMake(_ item: Item, _ known: ObjectsByKey, _ targets: Targets) -> Bool {
    if context.postponedRules.contains(.toOnes) { return true }
    return item.references.allSatisfy { reference in
      !isMandatory(reference.slot, of: item.entity)
        || reference.targets.allSatisfy { object($0, known, targets) != nil }
    }
  }

  /// The existing objects to which the references in a block lead, except the objects that the caller has
  /// already fetched by their natural keys.
  struct Targets {
    var known: ObjectsByKey = [:]
    var byID: [String: NSManagedObject] = [:]
  }

  func targets(of block: [Item], _ known: ObjectsByKey) throws -> Targets {
    var wanted: [Int: [String: [Value]]] = [:]
    var targets = Targets()
    for reference in block.flatMap({ $0.references.flatMap(\.targets) }) {
      switch reference {
      case .id(let id):
        if let found = byID[id] {
          targets.byID[id] = context.object(with: try self.id(of: found))
        }
      case .key(let scope, let text, _):
        if known[scope]?[text] == nil {
          wanted[scope, default: [:]][text] = try Self.values(text)
        }
      }
    }
    targets.known = try objects(wanted)
    return targets
  }

  func object(
    _ reference: Reference,
    _ known: ObjectsByKey,
    _ targets: Targets
  ) -> NSManagedObject? {
    switch reference {
    case .id(let id): targets.byID[id]
    case .key(let scope, let text, _): known[scope]?[text] ?? targets.known[scope]?[text]
    }
  }

  private static func values(_ text: String) throws -> [Value] {
    var values: [Value] = []
    var rest = Substring(text)
    while let colon = rest.firstIndex(of: ":"), let length = Int(rest[..<colon]) {
      let start = rest.utf8.index(after: colon)
      let end = rest.utf8.index(start, offsetBy: length)
      var reader = JSONReader(rest[start..<end], name: "key")
      values.append(try reader.value())
      rest = rest[end...]
    }
    return values
  }

  private func objects(_ wanted: [Int: [String: [Value]]]) throws -> ObjectsByKey {
    var known: ObjectsByKey = [:]
    for (scope, keys) in wanted.sorted(by: { $0.key < $1.key }) where !keys.isEmpty {
      let entity = opened.model.entities[scope]
      guard let natural = self.keys.key(of: scope) else { continue }
      let properties = natural.names.compactMap { entity.property(named: $0) }
      let rows = keys.values.map { values in
        zip(properties, values).map { property, value in
          TransferValue.read(value, as: property.attribute?.type ?? .undefined) ?? .null
        }
      }
      let request = NSFetchRequest<NSManagedObject>(entityName: entity.name)
      request.predicate = Self.predicate(natural.names, rows)
      for object in try context.fetch(request) {
        let values = natural.names.map { Value(any: object.value(forKey: $0)) }
        if let text = NaturalKeys.text(zip(properties, values).map(Self.typed)) {
          known[scope, default: [:]][text] = object
        }
      }
    }
    return known
  }

  /// Converts a value of a fetched object to the attribute's type, so that equal keys have equal texts.
  private static func typed(_ property: PropertyDefinition, _ value: Value) -> Value {
    TransferValue.read(value, as: property.attribute?.type ?? .undefined) ?? .null
  }

  private static func predicate(_ names: [String], _ rows: [[Value]]) -> NSPredicate {
    if names.count == 1 {
      return NSPredicate(
        format: "%K IN %@",
        argumentArray: [names[0], rows.compactMap { $0[0].any }]
      )
    }
    let parts = rows.map { row in
      NSCompoundPredicate(
        type: .and,
        subpredicates: zip(names, row).map { name, value in
          NSPredicate(format: "%K == %@", argumentArray: [name, value.any ?? NSNull()])
        }
      )
    }
    return NSCompoundPredicate(type: .or, subpredicates: parts)
  }

  // MARK: Writing

  private func object(for item: Item, _ known: inout ObjectsByKey) throws -> NSManagedObject {
    let natural = keys.key(of: item.entity.index)
    if let natural, let key = item.key, let object = known[natural.scope]?[key] {
      let name = object.entity.name ?? ""
      if name != item.entity.name {
        let id = object.objectID
        let owner =
          id.isTemporaryID
          ? "an object of entity \(name)" : "\(name)/p\(id.key.number), an object of entity \(name)"
        throw ToolError(
          "\(location(item.line)): the natural key of the record is that of \(owner), but the record is of "
            + "entity \(item.entity.name)",
          hint: "Change the record's entity to \(name), or give the record a different key."
        )
      }
      return object
    }
    if let id = item.id, let found = byID[id] {
      return context.object(with: try self.id(of: found))
    }
    let object = NSEntityDescription.insertNewObject(
      forEntityName: item.entity.name,
      into: context
    )
    if let natural, let key = item.key { known[natural.scope, default: [:]][key] = object }
    return object
  }

  /// Sets the attributes whose values differ, so that unchanged objects are not saved.
  ///
  /// Transformable and composite attributes are set without a comparison.
  private func set(
    _ attributes: [(Int, Value)],
    of object: NSManagedObject,
    _ entity: EntityDefinition
  ) {
    for (slot, value) in attributes {
      let property = entity.properties[slot]
      let isArchived = [.transformable, .composite].contains(property.attribute?.type)
      if isArchived, case .data(let data) = value {
        object.setValue(ArchivedContent(data), forKey: property.name)
        continue
      }
      let old = Value(any: object.value(forKey: property.name))
      if Self.text(old) == Self.text(value) { continue }
      object.setValue(value.any, forKey: property.name)
    }
  }

  /// Returns a text for comparing values; equal values have equal texts.
  private static func text(_ value: Value) -> String {
    JSONText.value(TransferValue.written(value), .init(writesData: true))
  }

  private func relate(
    _ object: NSManagedObject,
    _ property: PropertyDefinition,
    _ targets: [NSManagedObject]
  ) {
    guard let relationship = property.relationship else { return }
    if !relationship.isToMany {
      if object.value(forKey: property.name) as? NSManagedObject !== targets.first {
        object.setValue(targets.first, forKey: property.name)
      }
    } else if relationship.isOrdered {
      let old = object.value(forKey: property.name) as? NSOrderedSet
      if old?.array as? [NSManagedObject] != targets {
        object.setValue(NSOrderedSet(array: targets), forKey: property.name)
      }
    } else {
      let old = (object.value(forKey: property.name) as? NSSet)?.allObjects ?? []
      let before = Set(old.compactMap { $0 as? NSManagedObject }.map(ObjectIdentifier.init))
      if before != Set(targets.map(ObjectIdentifier.init)) {
        object.setValue(NSSet(array: targets), forKey: property.name)
      }
    }
  }
}
