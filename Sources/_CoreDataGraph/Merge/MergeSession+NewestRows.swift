// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The newest rows of the store, with which conflicts are resolved.
///
/// In each attempt to save, a row is read at most once, and rows of many objects are read together.
extension MergeSession {
  /// Reads together the rows of to-one destinations that the resolution of `conflicts` may need.
  ///
  /// - Throws: an error from reading the rows.
  /// - Complexity: one load of rows for each store.
  package func readNewest(around conflicts: [(object: GraphObject, stored: ChunkRow?)]) throws {
    var keys: [ObjectKey] = []
    for (object, stored) in conflicts {
      newestRows[graph.registry.identity(object.key)] = .some(stored)
      let places = [
        object.chunk.map { ($0, object.rowIndex) }, object.detail?.base, stored,
      ].compactMap { $0 }
      for slot in object.entityDefinition.toOneSlots
      where !object.entityDefinition.properties[slot].isTransient {
        let ends = Set(places.map { graph.key($0, slot) })
        // The row of a destination is needed if the row may have to change or may be gone.
        if ends.count > 1 || stored == nil || graph.inverseKind(object, slot) == .reference {
          keys += ends.compactMap { $0 }
        }
      }
    }
    try readNewest(keys)
  }

  func readNewest(_ keys: [ObjectKey]) throws {
    var wanted: [Int: Set<ObjectKey>] = [:]
    for key in keys where !key.isTemporary && newestRows[graph.registry.identity(key)] == nil {
      wanted[key.store, default: []].insert(key)
    }
    for keys in wanted.values {
      let keys = keys.sorted { $0.raw < $1.raw }
      let rows = try graph.host.loadRows(keys)
      for key in keys { newestRows[graph.registry.identity(key)] = .some(nil) }
      rows.forEach { key, chunk, row in
        newestRows[graph.registry.identity(key)] = (chunk, row)
      }
    }
  }

  /// Returns the newest row of the key; nil if the key has no row.
  ///
  /// Reads the row unless it was already read in this attempt to save.
  func newest(_ key: ObjectKey) throws -> ChunkRow? {
    try readNewest([key])
    return newestRows[graph.registry.identity(key)] ?? nil
  }
}
