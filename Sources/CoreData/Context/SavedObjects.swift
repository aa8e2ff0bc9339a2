// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// The objects of a save, each in one list.
struct SavedObjects {
  var inserted: [NSManagedObject] = []
  var updated: [NSManagedObject] = []
  var deleted: [NSManagedObject] = []

  init() {}

  /// The unsaved objects of a graph; the commit of a save empties the graph's lists.
  init(_ graph: ObjectGraph) {
    inserted = graph.inserted.map(NSManagedObjectContext.managed)
    updated = graph.updated.map(NSManagedObjectContext.managed)
    deleted = graph.deleted.map(NSManagedObjectContext.managed)
  }

  var isEmpty: Bool { inserted.isEmpty && updated.isEmpty && deleted.isEmpty }

  /// The keys of the objects; after the commit those of new objects are permanent.
  var keys: SavedKeys {
    SavedKeys(
      inserted: inserted.map(\.key),
      updated: updated.map(\.key),
      deleted: deleted.map(\.key)
    )
  }
}
