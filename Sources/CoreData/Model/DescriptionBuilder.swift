// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectModel {
  /// Creates a mutable model with the descriptions of `draft`.
  ///
  /// References to unknown names are left out. If the model is not valid without these references, `freeze()`
  /// throws an error.
  package convenience init(draft: ModelDraft) {
    self.init()
    DescriptionBuilder(draft).fill(self)
  }
}

/// Creates the descriptions of a draft, and then the references between the entities.
struct DescriptionBuilder {
  let draft: ModelDraft
  private let byName: [String: NSEntityDescription]

  init(_ draft: ModelDraft) {
    self.draft = draft
    let pairs = draft.entities.map { ($0.name, NSEntityDescription()) }
    byName = Dictionary(pairs) { first, _ in first }
  }

  func fill(_ model: NSManagedObjectModel) {
    for entity in draft.entities { fill(entity) }
    linkParents()
    linkRelationships()
    model.entities = draft.entities.compactMap { byName[$0.name] }
    for (name, members) in draft.configurations.sorted(by: { utf8Less($0.key, $1.key) }) {
      model.setEntities(members.compactMap { byName[$0] }, forConfigurationName: name)
    }
    model.versionIdentifiers = Set(draft.versionIdentifiers.map { AnyHashable($0) })
    model.fetchRequestTemplateDrafts = draft.fetchRequestTemplates
    model.compositeDrafts = draft.composites
  }

  private func fill(_ draft: EntityDraft) {
    guard let entity = byName[draft.name] else { return }
    entity.name = draft.name
    entity.managedObjectClassName = draft.className
    entity.isAbstract = draft.isAbstract
    entity.versionHashModifier = draft.versionHashModifier
    entity.renamingIdentifier = draft.renamingIdentifier
    entity.userInfo = draft.userInfo
    entity.codeGeneration = draft.codeGeneration
    entity.properties = draft.properties.map(property)
    entity.uniquenessConstraints = draft.uniquenessConstraints
    entity.indexes = draft.fetchIndexes.map(index)
  }

  private func linkParents() {
    var children: [String: [NSEntityDescription]] = [:]
    for entity in draft.entities {
      if let parent = entity.parent, let child = byName[entity.name] {
        children[parent, default: []].append(child)
      }
    }
    for (name, entities) in children { byName[name]?.subentities = entities }
  }

  private func linkRelationships() {
    for entity in draft.entities {
      guard let table = byName[entity.name]?.relationshipsByName else { continue }
      for property in entity.properties {
        guard case .relationship(let relationship) = property.kind else { continue }
        let destination = byName[relationship.destination]
        table[property.name]?.destinationEntity = destination
        table[property.name]?.inverseRelationship = relationship.inverse.flatMap {
          destination?.relationshipsByName[$0]
        }
      }
    }
  }

  private func property(_ draft: PropertyDraft) -> NSPropertyDescription {
    let property: NSPropertyDescription
    switch draft.kind {
    case .attribute(let attribute): property = self.attribute(attribute)
    case .relationship(let relationship): property = self.relationship(relationship)
    case .fetched(let definition):
      let fetched = NSFetchedPropertyDescription()
      fetched.definition = definition
      property = fetched
    }
    return copySettings(from: draft, into: property)
  }

  private func copySettings<Property: NSPropertyDescription>(
    from draft: PropertyDraft,
    into property: Property
  ) -> Property {
    property.name = draft.name
    property.isOptional = draft.isOptional
    property.isTransient = draft.isTransient
    property.versionHashModifier = draft.versionHashModifier
    property.renamingIdentifier = draft.renamingIdentifier
    property.userInfo = draft.userInfo
    property.isIndexedBySpotlight = draft.isIndexedBySpotlight
    return property
  }

  /// Returns the elements of a composite type; empty if the type is unknown or not valid.
  private func elements(of name: String) -> [NSAttributeDescription] {
    // The error is dropped: freezing the model throws the same error.
    guard (try? CompositeElement.elements(of: name, in: draft.composites)) != nil else { return [] }
    return (draft.composites[name] ?? []).compactMap { element in
      guard case .attribute(let definition) = element.kind else { return nil }
      return copySettings(from: element, into: attribute(definition))
    }
  }

  private func attribute(_ definition: AttributeDefinition) -> NSAttributeDescription {
    let attribute: NSAttributeDescription
    if definition.type == .composite, definition.derivation == nil {
      let composite = NSCompositeAttributeDescription()
      if let name = definition.compositeName {
        composite.elements = elements(of: name)
      }
      attribute = composite
    } else {
      attribute =
        definition.derivation == nil ? NSAttributeDescription() : NSDerivedAttributeDescription()
    }
    attribute.attributeType = NSAttributeType(definition.type)
    attribute.defaultValue = AttributeValue.any(definition.defaultValue)
    attribute.valueTransformerName = definition.valueTransformerName
    attribute.attributeValueClassName = definition.customClassName
    attribute.usesScalar = definition.usesScalar
    attribute.allowsExternalBinaryDataStorage = definition.allowsExternalStorage
    attribute.preservesValueInHistoryOnDeletion = definition.preservesValueInHistory
    attribute.allowsCloudEncryption = definition.allowsCloudEncryption
    attribute.minimum = definition.minimum
    attribute.maximum = definition.maximum
    attribute.pattern = definition.pattern
    attribute.derivation = definition.derivation
    attribute.derivationFilter = definition.derivationFilter
    attribute.compositeName = definition.compositeName
    return attribute
  }

  private func relationship(_ draft: RelationshipDraft) -> NSRelationshipDescription {
    let relationship = NSRelationshipDescription()
    relationship.maxCount = draft.maxCount
    relationship.minCount = draft.minCount
    relationship.isOrdered = draft.isOrdered
    relationship.deleteRule =
      NSDeleteRule(rawValue: draft.deleteRule.rawValue) ?? .nullifyDeleteRule
    return relationship
  }

  private func index(_ definition: FetchIndexDefinition) -> NSFetchIndexDescription {
    let elements = definition.elements.map { element in
      let result = NSFetchIndexElementDescription(
        propertyNamed: element.property,
        isExpression: element.isExpression,
        collationType: element.isRTree ? .rTree : .binary
      )
      result.isAscending = element.isAscending
      return result
    }
    let index = NSFetchIndexDescription(name: definition.name, elements: elements)
    index.partialPredicateFormat = definition.partialPredicate
    return index
  }
}
