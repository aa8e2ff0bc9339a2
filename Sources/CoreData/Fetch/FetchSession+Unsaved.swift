// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// The unsaved objects that a fetch is about.
extension FetchSession {
  /// Unsaved objects that the description could be about, and those from which it reads what is unsaved
  /// in others; each once.
  ///
  /// - Throws: as `readersOfUnsaved()`.
  func unsaved() throws -> [NSManagedObject] {
    let graph = graph
    guard graph.hasChanges else { return [] }
    let entity = registry.model.entities[description.entity]
    let changed = graph.inserted + graph.updated + graph.deleted
    let own = changed.filter { object in
      guard
        description.includesSubentities
          ? entity.family.contains(object.key.entity) : object.key.entity == entity.index
      else { return false }
      return description.stores?.contains(context.storeIndex(for: object)) ?? true
    }.map(NSManagedObjectContext.managed)
    let readers = try readersOfUnsaved()
    if readers.isEmpty { return own }
    var seen = Set<ObjectIdentifier>()
    return (own + readers).filter { seen.insert(ObjectIdentifier($0)).inserted }
  }

  /// The unsaved objects that match now.
  func matching(_ unsaved: [NSManagedObject]) throws -> [NSManagedObject] {
    let condition = description.condition.map { PreparedCondition($0) }
    return try unsaved.filter { object in
      if object.isDeleted { return false }
      return try condition?.holds(for: .object(object)) ?? true
    }
  }

  /// The objects from whose rows the description reads what is unsaved in other objects.
  ///
  /// A store knows the former values of those other objects, so the context finds out whether such a
  /// reader matches and where it stands. The first changed object on the way from a reader is reached by
  /// links that the store knows too.
  /// - Throws: what the stores throw.
  /// - Complexity: a statement for each place on the description's key paths where something that is
  ///   read is unsaved.
  private func readersOfUnsaved() throws -> [NSManagedObject] {
    let updated = graph.updated
    if updated.isEmpty { return [] }
    let model = registry.model
    var readers: [NSManagedObject] = []
    let paths = RelatedPaths(description, nil, in: model)
    for place in paths.places {
      let entity = model.entities[place.entity]
      let changed = updated.filter { object in
        entity.family.contains(object.key.entity)
          && (object.detail?.changed ?? SlotSet()).contains {
            place.keys.contains(object.entityDefinition.properties[$0].name)
          }
      }
      if changed.isEmpty { continue }
      // The stores are asked themselves: results that are at hand belong to another condition.
      let question = paths.readers(of: changed.map(\.key), at: place)
      let stored = FetchSession(question, in: context)
      readers += try stored.origins().flatMap { try stored.read($0) }
    }
    return readers
  }
}
