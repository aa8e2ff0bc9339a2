// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectModel {
  /// Returns the model in the form that the core reads.
  ///
  /// - Throws: `ModelError` for descriptions that do not form a valid model.
  package func draft() throws -> ModelDraft { try DraftWriter().draft(of: self) }
}

struct DraftWriter {
  func draft(of model: NSManagedObjectModel) throws -> ModelDraft {
    var draft = ModelDraft()
    draft.entities = try model.entities.map(entity)
    draft.versionIdentifiers = model.versionIdentifiers.map { "\($0.base)" }.sorted(by: utf8Less)
    for name in model.configurations {
      let members = model.entities(forConfigurationName: name) ?? []
      draft.configurations[name] = members.compactMap(\.name)
    }
    draft.fetchRequestTemplates = model.templateDrafts
    draft.composites = model.compositeDrafts
    try addComposites(of: model.entities, to: &draft)
    return draft
  }

  /// Returns a draft of `entity` and of the entities that `entity` reaches through superentities, subentities
  /// and relationships.
  func draft(reachableFrom entity: NSEntityDescription) throws -> ModelDraft {
    var seen: Set<ObjectIdentifier> = []
    var waiting = [entity]
    var all: [NSEntityDescription] = []
    var draft = ModelDraft()
    while let next = waiting.popLast() {
      if !seen.insert(ObjectIdentifier(next)).inserted { continue }
      draft.entities.append(try self.entity(next))
      all.append(next)
      if let parent = next.superentity { waiting.append(parent) }
      waiting += next.subentities
      waiting += next.ownProperties.compactMap {
        ($0 as? NSRelationshipDescription)?.destinationEntity
      }
    }
    try addComposites(of: all, to: &draft)
    return draft
  }

  // MARK: Composite types

  private func addComposites(
    of entities: [NSEntityDescription],
    to draft: inout ModelDraft
  ) throws {
    for entity in entities {
      for case let composite as NSCompositeAttributeDescription in entity.ownProperties {
        try add(composite, in: entity.name ?? "", ancestors: [], to: &draft)
      }
    }
  }

  /// Adds a composite type and the composite types of its elements to the draft.
  ///
  /// - Throws: `ModelError` for a composite that contains itself or is nested in more than 32 others, and for
  ///   an element that is not valid.
  private func add(
    _ composite: NSCompositeAttributeDescription,
    in owner: String,
    ancestors: [NSCompositeAttributeDescription],
    to draft: inout ModelDraft
  ) throws {
    if ancestors.contains(where: { $0 === composite }) || ancestors.count > 32 {
      throw ModelError(
        entity: owner,
        property: composite.name,
        reason: ancestors.count > 32
          ? "the composite attribute is nested in more than 32 others; nest it less deeply"
          : "the composite attribute contains itself; remove it from the elements of "
            + "“\((ancestors.last ?? composite).name)”"
      )
    }
    let name = Self.typeName(of: composite, in: owner)
    // A type that the model file declares is already in the draft.
    if composite.compositeName != nil, draft.composites[name] != nil { return }
    draft.composites[name] = try composite.elements.map { try property($0, of: name) }
    for case let inside as NSCompositeAttributeDescription in composite.elements {
      try add(inside, in: name, ancestors: ancestors + [composite], to: &draft)
    }
  }

  private static func typeName(
    of description: NSAttributeDescription,
    in owner: String
  ) -> String {
    description.compositeName ?? "\(owner).\(description.name)"
  }

  private func entity(_ description: NSEntityDescription) throws -> EntityDraft {
    guard let name = description.name, !name.isEmpty else {
      let names = description.ownProperties.map { "“\($0.name)”" }.joined(separator: ", ")
      throw ModelError(
        reason: "an entity has no name ("
          + (names.isEmpty ? "it has no properties either" : "its properties are \(names)")
          + "); set the name of every NSEntityDescription"
      )
    }
    var draft = EntityDraft(name: name)
    draft.className = description.explicitClassName
    draft.isAbstract = description.isAbstract
    if let parent = description.superentity {
      guard let parentName = parent.name, !parentName.isEmpty else {
        throw ModelError(
          entity: name,
          reason: "the parent entity has no name; set the name of every NSEntityDescription"
        )
      }
      draft.parent = parentName
    }
    draft.properties = try description.ownProperties.map { try property($0, of: name) }
    draft.uniquenessConstraints = description.constraintNames
    draft.fetchIndexes = try description.indexes.map { try index($0, of: name) }
    for property in description.ownProperties { property.applyIndexMark(to: &draft.fetchIndexes) }
    draft.versionHashModifier = description.versionHashModifier
    draft.renamingIdentifier = description.explicitRenamingIdentifier
    draft.userInfo = textInfo(description.userInfo)
    draft.codeGeneration = description.codeGeneration
    return draft
  }

  private func property(
    _ description: NSPropertyDescription,
    of entity: String
  ) throws -> PropertyDraft {
    let kind: PropertyDraft.Kind
    switch description {
    case let attribute as NSAttributeDescription:
      kind = .attribute(try self.attribute(attribute, of: entity))
    case let relationship as NSRelationshipDescription:
      kind = .relationship(try self.relationship(relationship, of: entity))
    case let fetched as NSFetchedPropertyDescription:
      guard let definition = fetched.definition else {
        throw ModelError(
          entity: entity,
          property: fetched.name,
          reason: "the fetched property has no fetch request; set its fetchRequest"
        )
      }
      kind = .fetched(definition)
    default:
      throw ModelError(
        entity: entity,
        property: description.name,
        reason: "\(Swift.type(of: description)) cannot be a property of an entity; "
          + "use attributes, relationships and fetched properties"
      )
    }
    var draft = PropertyDraft(name: description.name, kind: kind)
    draft.isOptional = description.isOptional
    draft.isTransient = description.isTransient
    draft.versionHashModifier = description.versionHashModifier
    draft.renamingIdentifier = description.explicitRenamingIdentifier
    draft.userInfo = textInfo(description.userInfo)
    draft.isIndexedBySpotlight = description.isIndexedBySpotlight
    return draft
  }

  private func attribute(
    _ description: NSAttributeDescription,
    of entity: String
  ) throws -> AttributeDefinition {
    let type = description.attributeType.core
    guard let value = AttributeValue.value(description.defaultValue, as: type) else {
      throw ModelError(
        entity: entity,
        property: description.name,
        reason: defaultValueReason(description.defaultValue, as: type)
      )
    }
    var definition = AttributeDefinition(
      type: type,
      defaultValue: value,
      valueTransformerName: description.valueTransformerName,
      customClassName: description.explicitClassName,
      usesScalar: description.usesScalar,
      allowsExternalStorage: description.allowsExternalBinaryDataStorage,
      preservesValueInHistory: description.preservesValueInHistoryOnDeletion,
      allowsCloudEncryption: description.allowsCloudEncryption,
      minimum: description.minimum,
      maximum: description.maximum,
      pattern: description.pattern,
      derivation: description.derivation
    )
    definition.derivationFilter = description.derivationFilter
    definition.compositeName =
      description is NSCompositeAttributeDescription
      ? Self.typeName(of: description, in: entity) : description.compositeName
    return definition
  }

  private func defaultValueReason(_ value: Any?, as type: _CoreDataModel.AttributeType) -> String {
    let given = value.map { "“\($0)” of type \(Swift.type(of: $0))" } ?? "nil"
    return "the default value \(given) cannot be converted to the attribute's type, "
      + "\(type.traits.modelFileName); set a value of this type"
  }

  private func relationship(
    _ description: NSRelationshipDescription,
    of entity: String
  ) throws -> RelationshipDraft {
    guard let destination = description.destinationEntity else {
      throw ModelError(
        entity: entity,
        property: description.name,
        reason:
          "the relationship has no destination entity: none was set, the entity that was set has been "
          + "released, or the model file names an entity that does not exist; set destinationEntity to an "
          + "entity of the model"
      )
    }
    guard let destinationName = destination.name, !destinationName.isEmpty else {
      throw ModelError(
        entity: entity,
        property: description.name,
        reason: "the destination entity has no name; set the name of every NSEntityDescription"
      )
    }
    var draft = RelationshipDraft(
      destination: destinationName,
      inverse: description.inverseRelationship?.name
    )
    draft.maxCount = description.maxCount
    draft.minCount = description.minCount
    draft.isOrdered = description.isOrdered
    draft.deleteRule = DeleteRule(rawValue: description.deleteRule.rawValue) ?? .nullify
    return draft
  }

  private func index(
    _ description: NSFetchIndexDescription,
    of entity: String
  ) throws -> FetchIndexDefinition {
    if Set(description.elements.map(\.collationType)).count > 1 {
      throw ModelError(
        entity: entity,
        reason:
          "the index “\(description.name)” mixes R-tree and binary elements; use one type for all elements"
      )
    }
    let elements = description.elements.map { element in
      var result = FetchIndexDefinition.Element(property: element.propertyName ?? "")
      result.isExpression = element.isExpression
      result.isRTree = element.collationType == .rTree
      result.isAscending = element.isAscending
      return result
    }
    let predicate = description.partialIndexPredicate.map { $0 as any FormattedPredicate }
    return FetchIndexDefinition(
      name: description.name,
      elements: elements,
      partialPredicate: predicate?.predicateFormat ?? description.partialPredicateFormat
    )
  }
}

/// Gives access to this module's `predicateFormat`; a direct call would cause a warning, because Foundation's
/// property of this name is deprecated.
private protocol FormattedPredicate {
  var predicateFormat: String { get }
}

extension NSPredicate: FormattedPredicate {}
