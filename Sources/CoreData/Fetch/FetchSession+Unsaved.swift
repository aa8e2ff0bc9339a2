// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension FetchSession {
  /// Returns the unsaved objects that could match, and the objects for which the fetch reads unsaved values
  /// of other objects.
  ///
  /// Each object is returned once.
  ///
  /// - Throws: the same errors as `readersOfUnsaved()`.
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

  /// Returns the objects of `unsaved` that match with their current values.
  func matching(_ unsaved: [NSManagedObject]) throws -> [NSManagedObject] {
    let condition = description.condition.map { PreparedCondition($0) }
    return try unsaved.filter { object in
      if object.isDeleted { return false }
      return try condition?.holds(for: .object(object)) ?? true
    }
  }

  /// Returns the readers: the objects for which the description reads unsaved values of other objects.
  ///
  /// A store knows only the saved values of those other objects, so the context evaluates whether a reader
  /// matches and how it sorts. The links from a reader to the first changed object on its key path are
  /// unchanged, so the store can find the reader.
  /// - Throws: the stores' errors.
  /// - Complexity: one statement for each store and each end of a key path whose objects have unsaved
  ///   changes.
  private func readersOfUnsaved() throws -> [NSManagedObject] {
    let updated = graph.updated
    if updated.isEmpty { return [] }
    let model = registry.model
    var readers: [NSManagedObject] = []
    let paths = RelatedPaths(description, nil, in: model)
    for place in paths.pathEnds {
      let entity = model.entities[place.entity]
      let changed = updated.filter { object in
        entity.family.contains(object.key.entity)
          && (object.detail?.changed ?? SlotSet()).contains {
            place.keys.contains(object.entityDefinition.properties[$0].name)
          }
      }
      if changed.isEmpty { continue }
      // This session gets no `fetchedOrigins`, because they contain results of a fetch with another
      // condition.
      let question = paths.readers(of: changed.map(\.key), at: place)
      let stored = FetchSession(question, in: context)
      readers += try stored.origins().flatMap { try stored.read($0) }
    }
    return readers
  }
}
