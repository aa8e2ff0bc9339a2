// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// What becomes of an entity's objects; raw values are Apple's.
public enum NSEntityMappingType: UInt, Sendable {
  case undefinedEntityMappingType = 0
  case customEntityMappingType = 1
  case addEntityMappingType = 2
  case removeEntityMappingType = 3
  case copyEntityMappingType = 4
  case transformEntityMappingType = 5
}

/// How the objects of one entity are made of those of another.
///
/// Source: documented, “NSEntityMapping”.
open class NSEntityMapping: NSObject {
  /// The name, unique in its mapping model; empty at first.
  // Apple's type.
  // swift-format-ignore: NeverUseImplicitlyUnwrappedOptionals
  open var name: String! = ""
  /// What becomes of the objects.
  open var mappingType: NSEntityMappingType = .undefinedEntityMappingType
  /// Nil for a mapping that adds an entity.
  open var sourceEntityName: String?
  /// Nil for a mapping that removes an entity.
  open var destinationEntityName: String?
  /// 32 bytes; nil where the file does not say.
  open var sourceEntityVersionHash: Data?
  /// 32 bytes; nil where the file does not say.
  open var destinationEntityVersionHash: Data?
  /// Class of the policy of a custom mapping.
  open var entityMigrationPolicyClassName: String?
  /// What gives the source objects.
  open var sourceExpression: CoreData.NSExpression?
  /// The application's own notes.
  open var userInfo: [AnyHashable: Any]?
  /// How the attributes are set.
  open var attributeMappings: [NSPropertyMapping]?
  /// How the relationships are set.
  open var relationshipMappings: [NSPropertyMapping]?

  /// A mapping of nothing.
  public override init() {}

  init(_ draft: EntityMappingDraft) {
    super.init()
    name = draft.name
    mappingType = NSEntityMappingType(rawValue: draft.type) ?? .undefinedEntityMappingType
    sourceEntityName = draft.source
    destinationEntityName = draft.destination
    sourceEntityVersionHash = draft.sourceHash
    destinationEntityVersionHash = draft.destinationHash
    entityMigrationPolicyClassName = draft.policyClassName
    sourceExpression = NSPropertyMapping.expression(draft.sourceExpression)
    userInfo = draft.userInfo.isEmpty ? nil : draft.userInfo
    attributeMappings = draft.attributes.map(NSPropertyMapping.init)
    relationshipMappings = draft.relationships.map(NSPropertyMapping.init)
  }

  /// Whether the hashes are those of the entities that the mapping names.
  func fits(_ source: [String: Data], _ destination: [String: Data]) -> Bool {
    if let name = sourceEntityName, source[name] != sourceEntityVersionHash { return false }
    if let name = destinationEntityName, destination[name] != destinationEntityVersionHash {
      return false
    }
    return sourceEntityName != nil || destinationEntityName != nil
  }
}
