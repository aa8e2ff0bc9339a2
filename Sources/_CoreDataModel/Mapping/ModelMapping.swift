// SPDX-License-Identifier: Apache-2.0

/// Where the objects of a new model come from in an old one.
///
///     let mapping = try ModelMapping(inferredFrom: old, to: new)
package struct ModelMapping: Sendable {
  /// What becomes of the objects of an entity.
  package enum Kind: Sendable {
    /// The entity is new.
    case add
    /// The entity has gone, and its objects with it.
    case remove
    /// The version hashes are equal: every object stays as it is.
    case copy
    case transform
  }

  /// One entity of either model, or the entity that both have.
  package struct Entity: Sendable {
    package let kind: Kind
    /// Index of the entity in the old model; nil for one that is added.
    package let source: Int?
    /// Index of the entity in the new model; nil for one that is removed.
    package let destination: Int?
  }

  package let source: ModelDefinition
  package let destination: ModelDefinition
  /// What is added, then what both models have, then what is removed; each by the model's order.
  package let entities: [Entity]
  /// By index of the new entity: the index of the old one; nil for an entity that is added.
  package let sourceEntities: [Int?]
  /// By index of the new entity and slot: the slot in the old entity; nil for a property that is added, that
  /// is or was transient, or that no row holds.
  package let sourceSlots: [[Int?]]
  /// By index of the old entity: the index of the new one; nil for an entity that is removed.
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

  /// The property of the old model that a property of a new entity comes from; nil where it is added.
  package func source(of slot: Int, in entity: Int) -> PropertyDefinition? {
    guard let old = sourceEntities[entity], let slot = sourceSlots[entity][slot] else { return nil }
    return source.entities[old].properties[slot]
  }
}

/// One reason why a store cannot follow a change of its model by itself.
package struct MappingObstacle: Sendable, Hashable, CustomStringConvertible {
  /// The entity's name in the new model.
  package let entity: String
  package let property: String?
  /// What stands in the way.
  package let reason: String
  /// What the developer can do.
  package let remedy: String

  /// The reason and the remedy.
  package var text: String { reason + "; " + remedy }

  /// `Entity.property: reason; remedy`.
  package var description: String { entity + (property.map { "." + $0 } ?? "") + ": " + text }
}

/// Thrown where no mapping between two models can be inferred.
package struct InferenceFailure: Error, CustomStringConvertible {
  /// Every reason, in the order of the new model; never empty.
  package let obstacles: [MappingObstacle]

  /// The reasons, one after the other.
  package var description: String { obstacles.map(\.description).joined(separator: "; ") }
}
