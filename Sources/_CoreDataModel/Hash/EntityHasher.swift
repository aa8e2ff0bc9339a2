// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Computes the version hash of one entity and of its properties.
///
/// Source: observed, hashes of 593 distinct entities and 545 distinct properties.
package struct EntityHasher {
  let model: ModelDefinition
  let entity: EntityDefinition

  package init(model: ModelDefinition, entity: EntityDefinition) {
    self.model = model
    self.entity = entity
  }

  private var hashed: [PropertyDefinition] {
    entity.properties.filter { property in
      if case .fetched = property.kind { return false }
      return !property.isTransient
    }.sorted { utf8Less($0.name, $1.name) }
  }

  /// Whether the entity has or inherits a persistent derived or composite attribute, whose hash in Apple's
  /// framework is not known.
  var isUnverifiable: Bool {
    hashed.contains { property in
      property.attribute.map { $0.derivation != nil || $0.type == .composite } ?? false
    }
  }

  /// Returns the 32-byte hash of the entity; `parent` is the hash of its parent entity, if there is one.
  package func hash(parent: Data?) -> Data {
    var hasher = SHA256()
    hasher.update(entity.name)
    hasher.update([entity.isAbstract ? 1 : 0])
    if let parent { hasher.update(parent) }
    for property in hashed { hasher.update(hash(of: property)) }
    if let modifier = entity.versionHashModifier { hasher.update(modifier) }
    let constraints = entity.ownUniquenessConstraints.map { $0.joined(separator: ".") }
    for constraint in constraints.sorted(by: utf8Less) { hasher.update(constraint) }
    return hasher.hash()
  }

  /// Returns the 32-byte hash of a property.
  ///
  /// The hash of a fetched, derived or composite property may differ from Apple's.
  package func hash(of property: PropertyDefinition) -> Data {
    var hasher = SHA256()
    hasher.update(base(of: property))
    switch property.kind {
    case .attribute(let attribute):
      hasher.update(bytes(Int32(attribute.type.rawValue)))
      if attribute.allowsExternalStorage { hasher.update([1]) }
      if attribute.preservesValueInHistory { hasher.update([1]) }
      if let derivation = attribute.comparableDerivation { hasher.update(derivation) }
    case .relationship(let relationship):
      let destination = model.entities[relationship.destination]
      hasher.update(destination.name)
      hasher.update(relationship.inverse.map { destination.properties[$0].name } ?? "")
      hasher.update(bytes(Int32(truncatingIfNeeded: relationship.maxCount)))
      hasher.update(bytes(Int32(truncatingIfNeeded: relationship.minCount)))
      if relationship.isOrdered { hasher.update([1, 0]) }
    case .fetched: break
    }
    return hasher.hash()
  }

  private func base(of property: PropertyDefinition) -> Data {
    var hasher = SHA256()
    hasher.update(property.name)
    hasher.update([(property.isOptional ? 1 : 0) | (property.isTransient ? 2 : 0), 0])
    if let modifier = property.versionHashModifier { hasher.update(modifier) }
    return hasher.hash()
  }

  private func bytes(_ number: Int32) -> [UInt8] {
    withUnsafeBytes(of: number.littleEndian) { [UInt8]($0) }
  }
}

extension AttributeDefinition {
  /// The expression of a derived attribute without white space and colons.
  ///
  /// These characters can differ between a model file and the model compiled from it: a compiled model stores
  /// parsed expressions, which are formatted as text again when the model is read.
  var comparableDerivation: String? {
    derivation.map { $0.filter { !$0.isWhitespace && $0 != ":" } }
  }
}
