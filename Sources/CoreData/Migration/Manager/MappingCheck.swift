// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// Checks that an entity mapping fits the two models, before anything is migrated.
struct MappingCheck {
  private let mapping: NSEntityMapping
  private let manager: NSMigrationManager

  init(_ mapping: NSEntityMapping, _ manager: NSMigrationManager) {
    self.mapping = mapping
    self.manager = manager
  }

  private var name: String { mapping.name ?? "" }

  // MARK: Entities

  func source() throws -> NSEntityDescription? {
    try checked(
      manager.sourceEntity(for: mapping),
      mapping.sourceEntityName,
      hash: mapping.sourceEntityVersionHash,
      side: "source"
    )
  }

  func destination() throws -> NSEntityDescription? {
    let entity = try checked(
      manager.destinationEntity(for: mapping),
      mapping.destinationEntityName,
      hash: mapping.destinationEntityVersionHash,
      side: "destination"
    )
    if let entity, entity.isAbstract, mapping.sourceEntityName != nil, policyName == nil,
      try source()?.isAbstract == false
    {
      throw MigrationErrors.unfitMapping(
        name,
        "the destination entity \(entity.name ?? "") is abstract and cannot have objects. Map to a "
          + "subentity, or create objects of the subentities with a policy"
      )
    }
    return entity
  }

  private func checked(
    _ entity: NSEntityDescription?,
    _ entityName: String?,
    hash: Data?,
    side: String
  ) throws -> NSEntityDescription? {
    guard let entityName else { return nil }
    guard let entity else {
      throw MigrationErrors.unfitMapping(
        name,
        "the \(side) model has no entity named “\(entityName)”. Use the mapping model of these two models"
      )
    }
    if let hash, hash != entity.versionHash {
      throw MigrationErrors.unfitMapping(
        name,
        "the mapping was made for another version of the \(side) entity \(entityName): the version hashes "
          + "differ. Use the mapping model of these two models"
      )
    }
    return entity
  }

  // MARK: Policy

  private var policyName: String? {
    mapping.entityMigrationPolicyClassName.flatMap { $0.isEmpty ? nil : $0 }
  }

  func policy() throws -> NSEntityMigrationPolicy {
    guard let className = policyName else { return NSEntityMigrationPolicy() }
    guard let type = MigrationPolicyClasses.resolve(className) else {
      throw MigrationErrors.missingPolicy(className, mapping: name)
    }
    return type.init()
  }

  // MARK: Properties

  func attributes() throws -> [PropertyPlan] {
    try plans(mapping.attributeMappings ?? [], "an attribute") {
      $0.attribute != nil && $0.attribute?.derivation == nil
    }
  }

  func relationships() throws -> [PropertyPlan] {
    try plans(mapping.relationshipMappings ?? [], "a relationship") { $0.relationship != nil }
  }

  private func plans(
    _ mappings: [NSPropertyMapping],
    _ kind: String,
    _ isOfKind: (PropertyDefinition) -> Bool
  ) throws -> [PropertyPlan] {
    guard let entity = definition(of: try destination(), manager.destinationContext) else {
      return []
    }
    let source = definition(of: try source(), manager.sourceContext)
    return try mappings.compactMap { mapping in
      guard let expression = mapping.valueExpression?.term else { return nil }
      guard let property = mapping.name.flatMap(entity.property(named:)) else {
        throw MigrationErrors.unfitMapping(
          name,
          "the destination entity \(entity.name) has no property named “\(mapping.name ?? "")”. Use the "
            + "mapping model of these two models"
        )
      }
      if property.attribute?.derivation != nil { return nil }
      if !isOfKind(property) {
        throw MigrationErrors.unfitMapping(
          name,
          "\(entity.name).\(property.name) is not \(kind) of the destination model. Use the mapping model of "
            + "these two models"
        )
      }
      return PropertyPlan(mapping, property, expression, source: source)
    }
  }

  private func definition(
    of entity: NSEntityDescription?,
    _ context: NSManagedObjectContext
  ) -> EntityDefinition? {
    entity?.name.flatMap { context.frozenModel?.definition.entity(named: $0) }
  }
}
