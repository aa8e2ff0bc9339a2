// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// The objects of a save; each object is in exactly one list.
struct SavedObjects {
  var inserted: [NSManagedObject] = []
  var updated: [NSManagedObject] = []
  var deleted: [NSManagedObject] = []

  init() {}

  /// Creates lists of the graph's unsaved objects, because the commit of a save empties the graph's
  /// lists.
  init(_ graph: ObjectGraph) {
    inserted = graph.inserted.map(NSManagedObjectContext.managed)
    updated = graph.updated.map(NSManagedObjectContext.managed)
    deleted = graph.deleted.map(NSManagedObjectContext.managed)
  }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// The keys of the objects; the keys of new objects are permanent after the commit.
  var keys: SavedKeys {
    SavedKeys(
      inserted: inserted.map(\.key),
      updated: updated.map(\.key),
      deleted: deleted.map(\.key)
    )
  }
}
