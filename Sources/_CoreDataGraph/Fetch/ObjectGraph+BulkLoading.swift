// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Identifies the owners for which one statement can read the members of a to-many.
struct OwnerGroup: Hashable {
  let store: Int
  let declaringEntity: Int
  let slot: Int
}

extension ObjectGraph {
  /// Loads the to-manys for which `isWanted` returns true and which are not loaded yet.
  ///
  /// Leaves out objects with temporary keys, and objects whose rows are gone.
  /// - Throws: an error from reading the members; some of the to-manys may have been loaded before.
  /// - Complexity: one statement for each store and to-many property.
  func loadMembers(of objects: [GraphObject], _ isWanted: (PropertyDefinition) -> Bool) throws {
    var groups: [OwnerGroup: [GraphObject]] = [:]
    for object in objects where !object.key.isTemporary && !object.flags.contains(.inaccessible) {
      let definition = object.entityDefinition
      for (position, slot) in definition.toManySlots.enumerated()
      where isWanted(definition.properties[slot]) {
        if object.detail?.toManys[position]?.isLoaded == true { continue }
        let group = OwnerGroup(
          store: object.key.store,
          declaringEntity: definition.properties[slot].declaringEntity,
          slot: slot
        )
        groups[group, default: []].append(object)
      }
    }
    for (group, owners) in groups { try loadMembers(of: owners, slot: group.slot) }
  }

  /// Loads one to-many of objects that share a store and inherit the to-many from the same entity.
  private func loadMembers(of owners: [GraphObject], slot: Int) throws {
    let members = try host.loadMembers(of: owners.map(\.key), slot: slot)
    for (owner, keys) in zip(owners, members) {
      _ = updateToMany(owner, slot: slot) { state in
        if !state.isLoaded { state.load(keys) }
        return true
      }
      removeDeletedMembers(of: owner, slot)
    }
  }

  /// Reads the rows of `faults` together, and fires those faults whose rows had not been read before.
  ///
  /// Faults whose rows are gone remain faults.
  /// - Throws: an error from reading the rows; some of the faults may have fired before the error.
  /// - Complexity: one statement for each store, hierarchy and block of 20,000 rows.
  package func realizeFaults(_ faults: [GraphObject]) throws {
    for (_, faults) in Dictionary(grouping: faults, by: \.key.store) {
      let rows = try host.loadRows(faults.map(\.key))
      rows.forEach { key, chunk, row in
        guard let object = registry.object(for: key), object.isRowless else { return }
        fill(object, from: chunk, row: row)
        realizeFromRow(object)
      }
    }
  }

  /// Returns the rows of `keys`; stops the program if the rows cannot be read, because the caller cannot
  /// throw.
  func readRows(_ keys: [ObjectKey]) -> FetchedRows {
    do {
      return try host.loadRows(keys)
    } catch {
      host.faultFailed(object(for: keys[0]), error)
    }
  }
}
