// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataModel

/// The second way of an inferred migration: a manager carries out the inferred mapping model in a new file.
struct ManagerMigration {
  let mapping: ModelMapping
  private let version: StepModels.Version
  private let file: MigratedFile
  /// The names of the objects in the new file → the names of their source objects.
  private let sources: [String: String]

  /// Migrates a copy of a store, which is only read.
  init(
    _ copy: MigratedFile,
    from models: StepModels,
    _ mapping: ModelMapping
  ) throws {
    let manager = NSMigrationManager(
      sourceModel: models.old.model,
      destinationModel: models.new.model
    )
    // Otherwise the migration would be the same one as in place.
    manager.usesStoreSpecificMigrationManager = false
    let inferred = try NSMappingModel.inferredMappingModel(
      forSourceModel: manager.sourceModel,
      destinationModel: manager.destinationModel
    )
    var sources: [String: String] = [:]
    // The associations exist until the migration ends, and the last objects are saved before that.
    let observation = manager.observe(\.migrationProgress) { manager, _ in
      if manager.migrationProgress == 1 { sources = Self.sources(manager, inferred) }
    }
    defer { observation.invalidate() }
    file = try MigratedFile()
    try manager.migrateStore(
      from: copy.url,
      type: .sqlite,
      mapping: inferred,
      to: file.url,
      type: .sqlite
    )
    self.mapping = mapping
    self.sources = sources
    version = models.new
  }

  private static func sources(
    _ manager: NSMigrationManager,
    _ mapping: NSMappingModel
  ) -> [String: String] {
    var sources: [String: String] = [:]
    for name in mapping.entityMappings.compactMap(\.name) {
      for object in manager.destinationInstances(forEntityMappingName: name, sourceInstances: nil) {
        let found = manager.sourceInstances(
          forEntityMappingName: name,
          destinationInstances: [object]
        )
        sources[StoreContent.name(object)] = found.map(StoreContent.name).joined(separator: "+")
      }
    }
    return sources
  }

  /// Checks that a manager makes the same of a copy of the store as the migration in place; returns the error of a
  /// manager that refuses objects because of a rule of the new model.
  static func check(
    _ copy: MigratedFile,
    _ models: StepModels,
    _ mapping: ModelMapping,
    inPlace: StoreContent,
    _ step: String
  ) throws -> NSError? {
    let manager: ManagerMigration
    do {
      manager = try ManagerMigration(copy, from: models, mapping)
    } catch let error as NSError {
      let cause = error.userInfo[NSUnderlyingErrorKey] as? NSError
      let object = cause?.userInfo[NSValidationObjectErrorKey] as? NSManagedObject
      let entity = object?.entity.name.flatMap(mapping.destination.entity(named:))
      let key = cause?.userInfo[NSValidationKeyErrorKey] as? String
      // A manager validates its objects, and a migration in place leaves that to their next save.
      #expect(mapping.hasNewRule(key, of: entity), "\(step): \(error)")
      return error
    }
    let differences = try manager.differences(from: inPlace)
    #expect(Array(differences.prefix(8)) == [], "\(step)")
    return nil
  }

  /// Everything that differs from the store that was migrated in place, a line each.
  func differences(from inPlace: StoreContent) throws -> [String] {
    let content = try file.content(version)
    var found: [String] = []
    var names: [String: String] = [:]
    for name in content.objects.keys {
      if let source = sources[name], let new = mapping.newName(of: source) {
        names[name] = new
      } else {
        found.append("\(name): it has no source object")
      }
    }
    let renamed = content.renamed(names)
    for (name, object) in inPlace.objects.sorted(by: { $0.key < $1.key }) {
      guard let other = renamed.objects[name] else {
        found.append("\(name): the manager did not make it")
        continue
      }
      guard let entity = mapping.destination.entity(ofObject: name) else { continue }
      for property in entity.properties {
        guard let difference = difference(property, entity, object, other) else { continue }
        found.append("\(name).\(property.name): \(difference)")
      }
    }
    let more = renamed.objects.keys.filter { inPlace.objects[$0] == nil }.sorted()
    return found + more.map { "\($0): only the manager made it" }
  }

  private func difference(
    _ property: PropertyDefinition,
    _ entity: EntityDefinition,
    _ inPlace: StoreContent.Object,
    _ other: StoreContent.Object
  ) -> String? {
    let name = property.name
    guard let relationship = property.relationship else {
      if property.attribute?.derivation?.hasPrefix("now") == true { return nil }
      let (value, otherValue) = (inPlace.values[name], other.values[name])
      if value == otherValue { return nil }
      return "\(value ?? "nil") in place, and \(otherValue ?? "nil") by the manager"
    }
    let old = mapping.source(of: property.slot, in: entity.index)?.relationship
    let (links, otherLinks) = (inPlace.links[name] ?? [], other.links[name] ?? [])
    // Members that had no order get any order.
    let isOrdered = relationship.isOrdered && old?.isOrdered == true
    if isOrdered ? links == otherLinks : links.sorted() == otherLinks.sorted() { return nil }
    if mapping.destination.isContested(property) { return nil }
    return "\(links) in place, and \(otherLinks) by the manager"
  }
}

extension ModelMapping {
  /// Whether old objects can break a rule of a property, because the property or the rule is new.
  fileprivate func hasNewRule(_ name: String?, of entity: EntityDefinition?) -> Bool {
    guard let entity, let property = name.flatMap(entity.property(named:)) else { return false }
    guard let old = source(of: property.slot, in: entity.index) else { return true }
    if let relationship = property.relationship {
      return relationship.minCount != old.relationship?.minCount
        || relationship.maxCount != old.relationship?.maxCount
        || property.isOptional != old.isOptional
    }
    // An attribute that becomes mandatory gets its default value.
    return property.isOptional == old.isOptional && property.hasRule
  }
}

extension ModelDefinition {
  /// Whether a relationship, or its inverse, is the inverse of several relationships.
  ///
  /// Xcode warns of such models. Which of their links stay depends on the order in which they are set.
  func isContested(_ property: PropertyDefinition) -> Bool {
    guard let relationship = property.relationship else { return false }
    let inverse = relationship.inverse.map { entities[relationship.destination].properties[$0] }
    return [property, inverse].compactMap(\.self).contains { suitors(of: $0).count > 1 }
  }

  /// The relationships whose inverse is `property`.
  private func suitors(of property: PropertyDefinition) -> Set<String> {
    var found: Set<String> = []
    for entity in entities {
      for other in entity.properties {
        guard let relationship = other.relationship, let slot = relationship.inverse else {
          continue
        }
        let inverse = entities[relationship.destination].properties[slot]
        if inverse.name == property.name, inverse.declaringEntity == property.declaringEntity {
          found.insert("\(other.declaringEntity).\(other.name)")
        }
      }
    }
    return found
  }
}
