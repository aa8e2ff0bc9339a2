// SPDX-License-Identifier: Apache-2.0

/// A mapping from the entities and properties of a new model to their sources in an old model.
///
///     let mapping = try ModelMapping(inferredFrom: old, to: new)
package struct ModelMapping: Sendable {
  /// The effect of the mapping on the objects of an entity.
  package enum Kind: Sendable {
    /// The entity exists only in the new model.
    case add
    /// The entity exists only in the old model, so its objects are deleted.
    case remove
    /// The entity has the same name and the same version hash in both models.
    case copy
    /// The entity has another name or another version hash in the new model.
    case transform
  }

  /// An added or removed entity, or a pair of matching entities.
  package struct Entity: Sendable {
    package let kind: Kind
    /// The index of the entity in the old model; nil for an added entity.
    package let source: Int?
    /// The index of the entity in the new model; nil for a removed entity.
    package let destination: Int?
  }

  package let source: ModelDefinition
  package let destination: ModelDefinition
  /// The added entities, then the entities of both models, then the removed entities.
  package let entities: [Entity]
  /// The indices of the old entities, by the index of the new entity; nil for an added entity.
  package let sourceEntities: [Int?]
  /// The slots of the source properties, by the index of the new entity and the slot of the new property.
  ///
  /// Nil for an added property, and if the old or the new property is transient or fetched.
  package let sourceSlots: [[Int?]]
  /// The indices of the new entities, by the index of the old entity; nil for a removed entity.
  package let destinationEntities: [Int?]

  init(
    source: ModelDefinition,
    destination: ModelDefinition,
    sourceEntities: [Int?],
    sourceSlots: [[Int?]]
  ) {
    self.source = source
    self.destination = destination
    self.sourceEntities = sourceEntities
    self.sourceSlots = sourceSlots
    var destinations = [Int?](repeating: nil, count: source.entities.count)
    for (index, old) in sourceEntities.enumerated() {
      if let old { destinations[old] = index }
    }
    destinationEntities = destinations
    let (before, after) = (ModelHashes(model: source), ModelHashes(model: destination))
    let added = sourceEntities.indices.filter { sourceEntities[$0] == nil }
      .map { Entity(kind: .add, source: nil, destination: $0) }
    let kept = sourceEntities.indices.compactMap { index -> Entity? in
      guard let old = sourceEntities[index] else { return nil }
      let (name, was) = (destination.entities[index].name, source.entities[old].name)
      let isEqual = name == was && before.byEntity[was] == after.byEntity[name]
      return Entity(kind: isEqual ? .copy : .transform, source: old, destination: index)
    }
    let removed = destinations.indices.filter { destinations[$0] == nil }
      .map { Entity(kind: .remove, source: $0, destination: nil) }
    entities = added + kept + removed
  }

  /// Returns the source property for a slot of a new entity; nil if the entity or the slot has no source.
  package func source(of slot: Int, in entity: Int) -> PropertyDefinition? {
    guard let old = sourceEntities[entity], let slot = sourceSlots[entity][slot] else { return nil }
    return source.entities[old].properties[slot]
  }
}

/// A reason why no mapping between two models can be inferred.
package struct MappingObstacle: Sendable, Hashable, CustomStringConvertible {
  /// The entity's name in the new model.
  package let entity: String
  /// The property's name in the new model; nil for an obstacle of the entity itself.
  package let property: String?
  package let reason: String
  /// Changes to the new model, or another kind of migration, that avoid the obstacle.
  package let remedy: String

  /// The reason and the remedy, separated by a semicolon.
  package var text: String { reason + "; " + remedy }

  /// A text of the form `Entity.property: reason; remedy`.
  package var description: String { entity + (property.map { "." + $0 } ?? "") + ": " + text }
}

/// The error for two models between which no mapping can be inferred.
package struct InferenceFailure: Error, CustomStringConvertible {
  /// All obstacles; never an empty array.
  package let obstacles: [MappingObstacle]

  /// The descriptions of all obstacles, separated by semicolons.
  package var description: String { obstacles.map(\.description).joined(separator: "; ") }
}
