// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSMappingModel {
  /// The mapping model that follows from the two models alone; renaming identifiers are followed.
  ///
  /// - Throws: 134190, naming each entity and property that stands in the way, under `reason` and in
  ///   `NSDetailedErrorsKey`; 134060 for a model that is not valid. Source: documented,
  ///   “inferredMappingModel(forSourceModel:destinationModel:)”.
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
      return model
    } catch {
      throw cocoaError(error)
    }
  }
}

extension NSManagedObjectModel {
  /// The model as the core knows it; it can be changed all the same, unless a coordinator uses it.
  ///
  /// - Throws: `ModelError` for a model that is not valid.
  fileprivate func definition() throws -> ModelDefinition {
    try frozen?.definition ?? ModelDefinition(draft())
  }
}

/// An inferred mapping in the form of a mapping model.
///
/// Names of mappings are those of Apple's inferred mappings. Source: common knowledge; expressions as Xcode
/// writes them.
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
