// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension NSManagedObjectModel {
  /// Returns the frozen model's definition; if the model is not frozen, builds a definition that is not
  /// cached.
  ///
  /// - Throws: `ModelError` if the descriptions do not form a valid model.
  func currentDefinition() throws -> ModelDefinition {
    if let frozen { return frozen.definition }
    return try ModelDefinition(draft())
  }

  /// Returns a definition that reflects the current descriptions.
  ///
  /// - Throws: `ModelError` if the descriptions do not form a valid model.
  /// - Complexity: O(1); O(properties) at the first call after any description in the process has changed.
  func hashedDefinition() throws -> ModelDefinition {
    if let frozen { return frozen.definition }
    return try cache.definition { try ModelDefinition(draft()) }
  }

  /// Returns the version hashes of `hashedDefinition()`, which are cached.
  func currentHashes() throws -> ModelHashes {
    if let frozen { return frozen.hashes }
    return cache.hashes(of: try hashedDefinition())
  }

  func versionHashes() -> [String: Data] {
    do {
      return try currentHashes().byEntity
    } catch {
      Diagnostics.note(
        "cannot compute version hashes, because the model\(place) is not valid: \(error)"
      )
      return [:]
    }
  }

  func checksum() -> String {
    do {
      return try currentHashes().checksum
    } catch {
      Diagnostics.note(
        "cannot compute the checksum, because the model\(place) is not valid: \(error)"
      )
      return ""
    }
  }

  func matches(_ configuration: String?, _ metadata: [String: Any]) -> Bool {
    guard let stored = metadata[NSStoreModelVersionHashesKey] as? [String: Data],
      let members = entities(forConfigurationName: configuration)
    else { return false }
    let names = Set(members.compactMap(\.name))
    let own = versionHashes()
    // A store of the whole model is compatible with every configuration of the model.
    return own.filter { names.contains($0.key) } == stored || configuration != nil && own == stored
  }
}

extension NSEntityDescription {
  func entityVersionHash() -> Data {
    guard let name else { return Data() }
    do {
      if let model = modelReference?.target {
        return try model.currentHashes().byEntity[name] ?? Data()
      }
      return cache.hashes(of: try ownDefinition()).byEntity[name] ?? Data()
    } catch {
      Diagnostics.note("cannot compute the version hash of the entity \(name): \(error)")
      return Data()
    }
  }

  /// Returns a definition of this entity and every entity that it reaches; used for an entity outside a
  /// model.
  private func ownDefinition() throws -> ModelDefinition {
    try cache.definition { try ModelDefinition(DraftWriter().draft(reachableFrom: self)) }
  }

  /// Returns the definition of the entity's model or, for an entity outside a model, `ownDefinition()`.
  ///
  /// - Throws: `ModelError` if the descriptions do not form a valid model.
  fileprivate func surroundingDefinition() throws -> ModelDefinition {
    if let model = modelReference?.target { return try model.hashedDefinition() }
    return try ownDefinition()
  }
}

extension NSPropertyDescription {
  func propertyVersionHash() -> Data {
    guard let entity = owner?.target, let name = entity.name else { return Data() }
    do {
      let definition = try entity.surroundingDefinition()
      guard let found = definition.entity(named: name),
        let property = found.property(named: self.name)
      else { return Data() }
      return EntityHasher(model: definition, entity: found).hash(of: property)
    } catch {
      Diagnostics.note(
        "cannot compute the version hash of the property \(name).\(self.name): \(error)"
      )
      return Data()
    }
  }
}
