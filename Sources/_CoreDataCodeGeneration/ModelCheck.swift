// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Checks a model for errors, and for problems about which Xcode warns.
package enum ModelCheck {
  /// Returns the problems of the model, errors first; empty if the model has no problems.
  ///
  /// If the model cannot be built, the result contains only the first error. If code cannot be generated, the
  /// result contains only the first error of code generation, besides the model's other problems.
  package static func problems(of draft: ModelDraft) -> [ModelProblem] {
    do {
      let model = try ModelDefinition(draft)
      let errors =
        try mismatchedInverses(of: model) + [generationError(of: draft)].compactMap { $0 }
      return errors.map { ModelProblem(.error, $0.located(in: draft)) }
        + warnings(about: model).map { ModelProblem(.warning, $0.located(in: draft)) }
    } catch let error as ModelError {
      return [ModelProblem(.error, error)]
    } catch {
      return [ModelProblem(.error, ModelError(file: draft.file, reason: "\(error)"))]
    }
  }

  private static func generationError(of draft: ModelDraft) throws -> ModelError? {
    do {
      _ = try ModelSource(draft, modelName: "").text()
      return nil
    } catch let error as ModelError {
      return error
    }
  }

  /// Returns an error for each relationship that is not the inverse of its own inverse, for example because
  /// that inverse is an attribute.
  private static func mismatchedInverses(of model: ModelDefinition) -> [ModelError] {
    ownRelationships(of: model).compactMap { entity, property, relationship in
      guard let inverse = relationship.inverse else { return nil }
      let other = model.entities[relationship.destination]
      let counterpart = other.properties[inverse]
      guard let back = counterpart.relationship else {
        return ModelError(
          entity: entity.name,
          property: property.name,
          reason: "its inverse “\(other.name).\(counterpart.name)” is not a relationship"
        )
      }
      let isMutual =
        back.inverse == property.slot
        && model.entities[back.destination].root == entity.root
      if isMutual { return nil }
      return ModelError(
        entity: entity.name,
        property: property.name,
        reason:
          "the inverse of “\(other.name).\(counterpart.name)” is not “\(entity.name).\(property.name)”; "
          + "each must be the inverse of the other"
      )
    }
  }

  private static func warnings(about model: ModelDefinition) -> [ModelError] {
    ownRelationships(of: model).flatMap { entity, property, relationship in
      var reasons: [String] = []
      if relationship.inverse == nil { reasons.append("the relationship should have an inverse") }
      if relationship.deleteRule == .noAction {
        let destination = model.entities[relationship.destination].name
        let effect =
          relationship.inverse == nil
          ? "deleting \(entity.name) objects leaves their \(destination) objects in the store without an "
            + "owner; add an inverse and choose Nullify, or choose Cascade or Deny"
          : "\(destination) objects can keep references to deleted \(entity.name) objects; choose Nullify, "
            + "Cascade or Deny"
        reasons.append("its delete rule is No Action, so \(effect)")
      }
      return reasons.map {
        ModelError(entity: entity.name, property: property.name, reason: $0)
      }
    }
  }

  private static func ownRelationships(
    of model: ModelDefinition
  ) -> [(EntityDefinition, PropertyDefinition, RelationshipDefinition)] {
    model.entities.flatMap { entity in
      entity.properties.compactMap { property in
        guard property.declaringEntity == entity.index else { return nil }
        return property.relationship.map { (entity, property, $0) }
      }
    }
  }
}
