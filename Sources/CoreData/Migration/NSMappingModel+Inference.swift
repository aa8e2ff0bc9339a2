// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSMappingModel {
  /// Returns the mapping model that is inferred from the names and renaming identifiers of the two models.
  ///
  /// - Throws: `NSInferredMappingModelError`, whose `reason` names each entity and property that prevents the
  ///   inference; if there are several, `NSDetailedErrorsKey` has an error for each. `NSCoreDataError` for an
  ///   invalid model.
  /// - Source: documented, “inferredMappingModel(forSourceModel:destinationModel:)”.
  public class func inferredMappingModel(
    forSourceModel sourceModel: NSManagedObjectModel,
    destinationModel: NSManagedObjectModel
  ) throws -> NSMappingModel {
    do {
      let mapping = try ModelMapping(
        inferredFrom: sourceModel.definition(),
        to: destinationModel.definition()
      )
      let model = NSMappingModel()
      model.entityMappings = try InferredDrafts(mapping).entities.map(NSEntityMapping.init)
      for (entity, entityMapping) in zip(mapping.entities, model.entityMappings) {
        guard let destination = entity.destination.map({ mapping.destination.entities[$0] })
        else { continue }
        for attribute in entityMapping.attributeMappings ?? [] {
          let property = attribute.name.flatMap(destination.property(named:))
          attribute.keepsDefaultForNil = property?.isOptional == false
        }
      }
      model.inferred = InferredMapping(mapping, of: model)
      return model
    } catch {
      throw cocoaError(error)
    }
  }
}

/// An inferred mapping, with the content of the mapping model that was created from it.
struct InferredMapping {
  private let mapping: ModelMapping
  /// The content of the mapping model when it was created.
  private let content: [String]

  init(_ mapping: ModelMapping, of model: NSMappingModel) {
    self.mapping = mapping
    content = Self.content(of: model)
  }

  /// Returns the mapping if the program has not changed the mapping model `model`, and if the mapping is from
  /// `source` to `destination`; otherwise returns nil.
  func mapping(
    of model: NSMappingModel,
    from source: ModelDefinition,
    to destination: ModelDefinition
  ) -> ModelMapping? {
    guard Self.content(of: model) == content,
      Self.areEqual(source, mapping.source), Self.areEqual(destination, mapping.destination)
    else { return nil }
    return mapping
  }

  private static func areEqual(_ model: ModelDefinition, _ other: ModelDefinition) -> Bool {
    ModelHashes(model: model).byEntity == ModelHashes(model: other).byEntity
  }

  private static func content(of model: NSMappingModel) -> [String] {
    (model.entityMappings ?? []).flatMap { mapping -> [String] in
      let parts = [
        mapping.name, mapping.sourceEntityName, mapping.destinationEntityName,
        mapping.entityMigrationPolicyClassName, mapping.sourceExpression?.term.format,
      ]
      let properties = (mapping.attributeMappings ?? []) + (mapping.relationshipMappings ?? [])
      return parts.map { $0 ?? "" }
        + properties.map { "\($0.name ?? "") = \($0.valueExpression?.term.format ?? "")" }
    }
  }
}

extension NSManagedObjectModel {
  /// Returns the definition of the model, without making the model immutable.
  ///
  /// - Throws: `ModelError` for an invalid model.
  fileprivate func definition() throws -> ModelDefinition {
    try frozen?.definition ?? ModelDefinition(draft())
  }
}

/// An inferred mapping in the form of a mapping model.
///
/// The entity mappings have the names that Apple's framework gives them, and the expressions that Xcode
/// writes.
///
/// Source: common knowledge.
private struct InferredDrafts {
  private let mapping: ModelMapping
  private let before: ModelHashes
  private let after: ModelHashes

  init(_ mapping: ModelMapping) {
    self.mapping = mapping
    before = ModelHashes(model: mapping.source)
    after = ModelHashes(model: mapping.destination)
  }

  var entities: [EntityMappingDraft] { mapping.entities.map(entity) }

  private func entity(_ entity: ModelMapping.Entity) -> EntityMappingDraft {
    let source = entity.source.map { mapping.source.entities[$0] }
    let destination = entity.destination.map { mapping.destination.entities[$0] }
    let (prefix, type): (String, NSEntityMappingType) =
      switch entity.kind {
      case .add: ("IEM_Add_", .addEntityMappingType)
      case .remove: ("IEM_Remove_", .removeEntityMappingType)
      case .copy: ("IEM_Copy_", .copyEntityMappingType)
      case .transform: ("IEM_Transform_", .transformEntityMappingType)
      }
    var draft = EntityMappingDraft(name: prefix + (destination?.name ?? source?.name ?? ""))
    draft.type = type.rawValue
    draft.source = source?.name
    draft.destination = destination?.name
    draft.sourceHash = source.flatMap { before.byEntity[$0.name] }
    draft.destinationHash = destination.flatMap { after.byEntity[$0.name] }
    if let source {
      draft.sourceExpression =
        "FETCH(FUNCTION($manager, \"fetchRequestForSourceEntityNamed:predicateString:\", "
        + "\"\(source.name)\", \"TRUEPREDICATE\"), $manager.sourceContext, NO)"
    }
    guard let destination else { return draft }
    let properties = destination.properties.sorted { utf8Less($0.name, $1.name) }
    for property in properties where !property.isTransient && !property.isFetched {
      let old = mapping.source(of: property.slot, in: destination.index)?.name
      if property.attribute != nil {
        let expression = old.map { "$source.\($0)" }
        draft.attributes.append(PropertyMappingDraft(name: property.name, expression: expression))
      } else {
        let expression = old.map {
          "FUNCTION($manager, \"destinationInstancesForSourceRelationshipNamed:sourceInstances:\", "
            + "\"\($0)\", $source.\($0))"
        }
        draft.relationships.append(
          PropertyMappingDraft(name: property.name, expression: expression)
        )
      }
    }
    return draft
  }
}
