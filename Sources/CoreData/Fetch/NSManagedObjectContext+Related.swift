// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// Objects that did not change themselves, while something that a fetch reads from them did.
extension NSManagedObjectContext {
  /// The objects from whose rows the description reads what is unsaved in other objects.
  ///
  /// A store knows the former values of those, so whether such an object matches, and where it stands, is
  /// found out here. The first changed object on the way from one is reached by links that the store
  /// knows too.
  /// - Throws: what the stores throw.
  /// - Complexity: a statement for each place on the description's key paths where something that is
  ///   read is unsaved.
  func readersOfUnsaved(_ description: FetchDescription) throws -> [NSManagedObject] {
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
      readers += try stored(paths.readers(of: changed.map(\.key), at: place))
    }
    return readers
  }

  /// The objects of a fetch without regard to unsaved changes, beside one that was answered before.
  private func stored(_ description: FetchDescription) throws -> [NSManagedObject] {
    let answers = answered
    answered = nil
    defer { answered = answers }
    return try sources(description).flatMap { try read($0, description, FetchManner()) }
  }
}
