// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The rows that conflicts are resolved with: each is read once for an attempt to save, and those of many
/// objects together.
extension ObjectGraph {
  /// Reads what the resolution of these conflicts is going to look at.
  ///
  /// - Throws: what reading throws.
  /// - Complexity: one statement for each hierarchy and some hundred rows.
  package func readNewest(around conflicts: [(object: GraphObject, stored: Place?)]) throws {
    var keys: [ObjectKey] = []
    for (object, stored) in conflicts {
      backup?.newest[registry.identity(object.key)] = .some(stored)
      let places = [
        object.chunk.map { ($0, object.rowIndex) }, object.detail?.base, stored,
      ].compactMap { $0 }
      for slot in object.entityDefinition.toOneSlots
      where !object.entityDefinition.properties[slot].isTransient {
        let ends = Set(places.map { key($0, slot) })
        // A row matters where it may have to change, and where it may be gone.
        if ends.count > 1 || stored == nil || mirror(object, slot) == .reference {
          keys += ends.compactMap { $0 }
        }
      }
    }
    try readNewest(keys)
  }

  /// Reads the rows of `keys` that were not read since the last attempt.
  func readNewest(_ keys: [ObjectKey]) throws {
    guard let known = backup?.newest else { return }
    var wanted: [Int: Set<ObjectKey>] = [:]
    for key in keys where !key.isTemporary && known[registry.identity(key)] == nil {
      wanted[key.store, default: []].insert(key)
    }
    for keys in wanted.values {
      let keys = keys.sorted { $0.raw < $1.raw }
      let rows = try host.loadRows(keys)
      for key in keys { backup?.newest[registry.identity(key)] = .some(nil) }
      rows.forEach { key, chunk, row in
        backup?.newest[registry.identity(key)] = (chunk, row)
      }
    }
  }

  /// The newest row of the key; nil where it has none.
  func newest(_ key: ObjectKey) throws -> Place? {
    guard backup != nil else {
      return try host.loadRows([key]).runs.first.map { ($0.chunk, $0.first) }
    }
    try readNewest([key])
    return backup?.newest[registry.identity(key)] ?? nil
  }
}
