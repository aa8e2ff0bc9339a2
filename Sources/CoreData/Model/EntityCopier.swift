// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Copies entities together with their subentities.
///
/// A relationship of a copy leads to the copy of its destination or, if the destination was not copied, to
/// the original destination. The uniqueness constraints of a copy contain attribute names, not descriptions.
struct EntityCopier {
  func copy(_ entity: NSEntityDescription) -> NSEntityDescription {
    var copies: [ObjectIdentifier: NSEntityDescription] = [:]
    let copy = copyTree(entity, &copies)
    relink(copies)
    return copy
  }

  func copy(_ entities: [NSEntityDescription]) -> [NSEntityDescription] {
    var copies: [ObjectIdentifier: NSEntityDescription] = [:]
    let listed = Set(entities.map(ObjectIdentifier.init))
    for entity in entities {
      let hasListedParent =
        entity.superentity.map { listed.contains(ObjectIdentifier($0)) } ?? false
      if !hasListedParent { _ = copyTree(entity, &copies) }
    }
    relink(copies)
    return entities.compactMap { copies[ObjectIdentifier($0)] }
  }

  private func copyTree(
    _ entity: NSEntityDescription,
    _ copies: inout [ObjectIdentifier: NSEntityDescription]
  ) -> NSEntityDescription {
    let copy = Swift.type(of: entity).init()
    copies[ObjectIdentifier(entity)] = copy
    copy.name = entity.name
    copy.isAbstract = entity.isAbstract
    copy.userInfo = entity.userInfo
    copy.versionHashModifier = entity.versionHashModifier
    copy.codeGeneration = entity.codeGeneration
    copy.managedObjectClassName = entity.explicitClassName
    copy.renamingIdentifier = entity.explicitRenamingIdentifier
    copy.properties = entity.ownProperties.compactMap { $0.copy() as? NSPropertyDescription }
    copy.indexes = entity.indexes.compactMap { $0.copy() as? NSFetchIndexDescription }
    copy.uniquenessConstraints = entity.constraintNames
    copy.subentities = entity.subentities.map { copyTree($0, &copies) }
    return copy
  }

  private func relink(_ copies: [ObjectIdentifier: NSEntityDescription]) {
    for copy in copies.values {
      for case let relationship as NSRelationshipDescription in copy.ownProperties {
        guard let old = relationship.destinationEntity, let new = copies[ObjectIdentifier(old)]
        else { continue }
        relationship.destinationEntity = new
        if let inverse = relationship.inverseRelationship {
          relationship.inverseRelationship = new.relationshipsByName[inverse.name]
        }
      }
    }
  }
}
