// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

struct ModelMerger {
  /// Returns a model with copies of all entities; equal entities of the same name become one.
  ///
  /// If two different entities have the same name, or a model is not valid, returns nil and writes the reason
  /// to standard error.
  func merge(_ models: [NSManagedObjectModel]) -> NSManagedObjectModel? {
    var drafts: [String: NSEntityDescription] = [:]
    var merged = ModelDraft()
    var modules: [String] = []
    for model in models {
      guard let draft = draft(of: model) else { return nil }
      for entity in draft.entities {
        guard let description = model.entitiesByName[entity.name] else { continue }
        if let known = drafts[entity.name] {
          if known.isEqual(description) { continue }
          Diagnostics.note(
            "cannot merge models with two different entities named “\(entity.name)”; rename one of the two "
              + "entities"
          )
          return nil
        }
        drafts[entity.name] = description
        merged.entities.append(entity)
      }
      add(draft, to: &merged)
      modules += model.classModules.filter { !modules.contains($0) }
    }
    return model(from: merged, originals: drafts, modules: modules)
  }

  /// Returns a model with copies of the entities whose version hashes are in the metadata.
  ///
  /// Returns nil if the metadata has no hashes, or if `models` lack one of these entities. A model that is
  /// not valid is left out, and the reason is written to standard error.
  func merge(
    _ models: [NSManagedObjectModel],
    forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    guard let wanted = metadata[NSStoreModelVersionHashesKey] as? [String: Data] else { return nil }
    var originals: [String: NSEntityDescription] = [:]
    var merged = ModelDraft()
    var modules: [String] = []
    for model in models {
      guard let draft = draft(of: model) else { continue }
      let hashes = model.entityVersionHashesByName
      for entity in draft.entities where originals[entity.name] == nil {
        guard let hash = hashes[entity.name], hash == wanted[entity.name] else { continue }
        originals[entity.name] = model.entitiesByName[entity.name]
        merged.entities.append(entity)
      }
      add(draft, to: &merged)
      modules += model.classModules.filter { !modules.contains($0) }
    }
    guard originals.count == wanted.count else { return nil }
    for (name, members) in merged.configurations {
      merged.configurations[name] = members.filter { originals[$0] != nil }
    }
    return model(from: merged, originals: originals, modules: modules)
  }

  private func draft(of model: NSManagedObjectModel) -> ModelDraft? {
    do {
      return try model.draft()
    } catch {
      Diagnostics.note("the model\(model.place) is not valid and cannot be merged: \(error)")
      return nil
    }
  }

  private func add(_ draft: ModelDraft, to merged: inout ModelDraft) {
    for identifier in draft.versionIdentifiers where !merged.versionIdentifiers.contains(identifier)
    {
      merged.versionIdentifiers.append(identifier)
    }
    for (name, members) in draft.configurations {
      let known = merged.configurations[name] ?? []
      merged.configurations[name] = known + members.filter { !known.contains($0) }
    }
    merged.composites.merge(draft.composites) { first, _ in first }
    let names = Set(merged.fetchRequestTemplates.map(\.name))
    merged.fetchRequestTemplates += draft.fetchRequestTemplates.filter { !names.contains($0.name) }
  }

  /// Returns a model with the descriptions of `draft`, and with the settings of `originals` that a draft
  /// cannot hold, such as validation predicates.
  private func model(
    from draft: ModelDraft,
    originals: [String: NSEntityDescription],
    modules: [String]
  ) -> NSManagedObjectModel {
    let model = NSManagedObjectModel(draft: draft)
    model.classModules = modules
    for entity in model.entities {
      guard let original = entity.name.flatMap({ originals[$0] }) else { continue }
      entity.userInfo = original.userInfo
      let table = PropertyTables(original.ownProperties).properties
      for property in entity.ownProperties {
        guard let source = table[property.name] else { continue }
        if let target = property as? NSRelationshipDescription {
          let (destination, inverse) = (target.destinationEntity, target.inverseRelationship)
          target.copySettings(from: source)
          (target.destinationEntity, target.inverseRelationship) = (destination, inverse)
        } else {
          property.copySettings(from: source)
        }
      }
    }
    return model
  }
}
