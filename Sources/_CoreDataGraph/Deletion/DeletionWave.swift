// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Applies the delete rules of deleted objects, and then of the objects to which the deletions cascade, round
/// by round, until a round deletes no object.
///
/// In each round, the rows and members of all objects are read together, before any rule is applied. If they cannot
/// be read, the objects of the round stay deleted, and their rules are applied by a later wave.
package struct DeletionWave {
  private let graph: ObjectGraph
  /// The number of rounds so far.
  package private(set) var rounds = 0
  /// The number of objects whose delete rules were applied.
  package private(set) var objectCount = 0

  init(_ graph: ObjectGraph) { self.graph = graph }

  /// Runs until all delete rules are applied, or until rows cannot be read.
  ///
  /// `PendingDeletions.failure` is then the error, and otherwise nil.
  mutating func run() {
    graph.deletions.failure = nil
    while !graph.deletions.unpropagated.isEmpty {
      let round = graph.deletions.unpropagated.filter {
        $0.flags.contains(.deleted) && !$0.flags.contains(.propagated)
      }
      graph.deletions.unpropagated = []
      rounds += 1
      do {
        // The loaded objects are retained while the rules are applied, because an object's row is released
        // with the object.
        try withExtendedLifetime(loadDestinations(of: round)) {
          for object in round { applyRules(of: object) }
        }
      } catch {
        // Objects that the program deleted meanwhile, in `awakeFromFetch`, follow.
        graph.deletions.unpropagated = round + graph.deletions.unpropagated
        graph.deletions.failure = error
        return
      }
    }
  }

  // MARK: Rules

  private mutating func applyRules(of object: GraphObject) {
    if object.flags.contains(.propagated) { return }
    object.flags.insert(.propagated)
    objectCount += 1
    let entity = object.entityDefinition
    for slot in entity.deletionSlots {
      guard let relationship = entity.properties[slot].relationship else { continue }
      apply(relationship, of: object, slot: slot)
    }
  }

  private func apply(
    _ relationship: RelationshipDefinition,
    of object: GraphObject,
    slot: Int
  ) {
    switch relationship.deleteRule {
    case .noAction, .deny: return
    case .nullify:
      guard relationship.inverse != nil else { return }
      for destination in graph.destinations(of: object, slot: slot)
      where !destination.flags.contains(.deleted) {
        if relationship.isToMany {
          graph.remove(destination, from: object, slot: slot)
        } else {
          graph.setReference(object, slot: slot, to: nil)
        }
      }
    case .cascade:
      for destination in graph.destinations(of: object, slot: slot)
      where !destination.flags.contains(.deleted) {
        graph.delete(destination)
      }
    }
  }

  // MARK: Loading

  /// Loads the rows, members and destinations that are needed to apply the delete rules of `deleted`.
  ///
  /// - Returns: the objects that received rows; the caller must keep them alive.
  /// - Throws: an error from reading rows or members.
  private func loadDestinations(of deleted: [GraphObject]) throws -> [GraphObject] {
    let related = deleted.filter { !$0.entityDefinition.deletionSlots.isEmpty }
    if related.isEmpty { return [] }
    var held = try loadRows(of: related.map(\.key))
    for object in related { try graph.fire(object) }
    try graph.loadMembers(of: related, \.isReadByDeletion)
    held += try loadRows(of: related.flatMap(destinationsToLoad))
    return held
  }

  /// Returns the destinations whose rows must be read: the destinations of relationships with the delete rule
  /// cascade, and of relationships with the rule nullify whose inverse is a to-one.
  private func destinationsToLoad(_ object: GraphObject) -> [ObjectKey] {
    let entity = object.entityDefinition
    return entity.deletionSlots.flatMap { slot -> [ObjectKey] in
      let property = entity.properties[slot]
      guard let relationship = property.relationship else { return [] }
      if relationship.deleteRule == .deny { return [] }
      if relationship.deleteRule == .nullify, let inverse = relationship.inverse,
        graph.model.entities[relationship.destination].properties[inverse].isToMany
      {
        return []
      }
      if property.isToMany { return graph.memberKeys(object, slot: property.slot) }
      return graph.reference(object, slot: property.slot).map { [$0] } ?? []
    }
  }

  /// Reads the rows of those keys whose objects have no loaded row, and returns the objects with these rows.
  ///
  /// Temporary keys are skipped.
  private func loadRows(of keys: [ObjectKey]) throws -> [GraphObject] {
    var wanted: [Int: [ObjectKey]] = [:]
    var seen: Set<ObjectKey> = []
    for key in keys where !key.isTemporary && seen.insert(key).inserted {
      if graph.registry.object(for: key)?.chunk == nil {
        wanted[key.store, default: []].append(key)
      }
    }
    var held: [GraphObject] = []
    for keys in wanted.values {
      let rows = try graph.host.loadRows(keys)
      held.reserveCapacity(held.count + rows.keys.count)
      rows.forEach { key, chunk, row in
        let object = graph.object(for: key)
        if object.chunk == nil { graph.fill(object, from: chunk, row: row) }
        held.append(object)
      }
    }
    return held
  }
}
