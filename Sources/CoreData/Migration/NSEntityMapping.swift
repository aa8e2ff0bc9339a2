// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The kind of an entity mapping; raw values are Apple's.
public enum NSEntityMappingType: UInt, Sendable {
  case undefinedEntityMappingType = 0
  case customEntityMappingType = 1
  case addEntityMappingType = 2
  case removeEntityMappingType = 3
  case copyEntityMappingType = 4
  case transformEntityMappingType = 5
}

/// Describes how a migration converts the objects of a source entity to objects of a destination entity.
///
/// Source: documented, “NSEntityMapping”.
open class NSEntityMapping: NSObject {
  /// The name of the mapping, which must be unique in its mapping model; empty by default.
  // Apple declares the property with this type.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var name: String! = ""
  /// The kind of the mapping; undefined by default.
  ///
  /// Has no effect on a migration, which depends on the entities, the expressions and the policy.
  open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
  /// The name of the source entity; nil for a mapping that adds an entity.
  open var sourceEntityName: String?
  /// The name of the destination entity; nil for a mapping that removes an entity.
  open var destinationEntityName: String?
  /// The version hash that the source entity must have; nil if the hash is not checked.
  open var sourceEntityVersionHash: Data?
  /// The version hash that the destination entity must have; nil if the hash is not checked.
  open var destinationEntityVersionHash: Data?
  /// The class name of the migration policy; nil or empty for `NSEntityMigrationPolicy` itself.
  open var entityMigrationPolicyClassName: String?
  /// The expression for the source objects: a FETCH expression, or an expression for a collection of objects.
  ///
  /// Nil stands for all objects of the source entity, except objects of its subentities.
  open var sourceExpression: CoreData.NSExpression?
  /// Values for the application's own use; nil by default.
  open var userInfo: [AnyHashable: Any]?
  /// The mappings of the attributes; nil by default.
  open var attributeMappings: [NSPropertyMapping]?
  /// The mappings of the relationships; nil by default.
  open var relationshipMappings: [NSPropertyMapping]?

  /// Creates an empty mapping.
  public override init() {}

  /// - Throws: `ModelError` if the text of an expression cannot be parsed.
  init(_ draft: EntityMappingDraft) throws {
    super.init()
    name = draft.name
    mappingType = NSEntityMappingType(rawValue: draft.type) ?? .undefinedEntityMappingType
    sourceEntityName = draft.source
    destinationEntityName = draft.destination
    sourceEntityVersionHash = draft.sourceHash
    destinationEntityVersionHash = draft.destinationHash
    entityMigrationPolicyClassName = draft.policyClassName
    sourceExpression = try NSPropertyMapping.expression(draft.sourceExpression, of: name, nil)
    userInfo = draft.userInfo.isEmpty ? nil : draft.userInfo
    attributeMappings = try draft.attributes.map { try NSPropertyMapping($0, of: name) }
    relationshipMappings = try draft.relationships.map { try NSPropertyMapping($0, of: name) }
  }

  /// The entities of the mapping with their version hashes.
  var claim: MappingFit.Claim {
    MappingFit.Claim(
      mapping: name,
      source: sourceEntityName.map { ($0, sourceEntityVersionHash) },
      destination: destinationEntityName.map { ($0, destinationEntityVersionHash) }
    )
  }
}
