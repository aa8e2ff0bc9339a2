// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// How a migration treats an entity's objects; raw values are Apple's.
public enum NSEntityMappingType: UInt, Sendable {
  case undefinedEntityMappingType = 0
  case customEntityMappingType = 1
  case addEntityMappingType = 2
  case removeEntityMappingType = 3
  case copyEntityMappingType = 4
  case transformEntityMappingType = 5
}

/// How a migration treats the objects of one entity.
///
/// Source: documented, “NSEntityMapping”.
open class NSEntityMapping: NSObject {
  /// The name of the mapping; empty by default.
  // Apple declares the property with this type.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var name: String! = ""
  /// How a migration treats the entity's objects; undefined by default.
  open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
  /// The name of the source entity; nil for a mapping that adds an entity.
  open var sourceEntityName: String?
  /// The name of the destination entity; nil for a mapping that removes an entity.
  open var destinationEntityName: String?
  /// The version hash of the source entity; nil if none is known.
  open var sourceEntityVersionHash: Data?
  /// The version hash of the destination entity; nil if none is known.
  open var destinationEntityVersionHash: Data?
  /// The class name of a custom mapping's migration policy; nil if the mapping has no custom policy.
  open var entityMigrationPolicyClassName: String?
  /// The expression that fetches the source objects.
  ///
  /// A mapping with a source entity and without this expression has all objects of the entity, without those of
  /// subentities.
  open var sourceExpression: CoreData.NSExpression?
  /// Values for the application's own use; nil if there are none.
  open var userInfo: [AnyHashable: Any]?
  /// The mappings of the attributes; nil if none were set.
  open var attributeMappings: [NSPropertyMapping]?
  /// The mappings of the relationships; nil if none were set.
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

  /// Returns whether the version hashes in the mapping equal those of the source and the destination entity;
  /// false if the mapping names no entity.
  ///
  /// `source` and `destination` are the version hashes of the two models, by entity name.
  func matches(_ source: [String: Data], _ destination: [String: Data]) -> Bool {
    if let name = sourceEntityName, source[name] != sourceEntityVersionHash { return false }
    if let name = destinationEntityName, destination[name] != destinationEntityVersionHash {
      return false
    }
    return sourceEntityName != nil || destinationEntityName != nil
  }
}
