// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Returns copies of the objects' current rows; objects without a row are left out.
  package func copyRows(of objects: [GraphObject]) -> FetchedRows {
    var copies = RowCopies(model)
    for object in objects {
      if let chunk = object.chunk { copies.add(object.key, chunk, object.rowIndex) }
    }
    return copies.rows
  }

  /// Returns copies of the current rows for the keys in `wanted`, including unsaved changes.
  ///
  /// Deleted objects and keys without a row are left out.
  /// - Throws: an error from reading the rows.
  /// - Complexity: one load of rows for each store with wanted rows that this graph has not read.
  package func currentRows(for wanted: [ObjectKey]) throws -> FetchedRows {
    var copies = RowCopies(model)
    var missing: [Int: [ObjectKey]] = [:]
    for key in wanted {
      let key = keys.currentKey(for: key)
      guard let object = registry.object(for: key) else {
        missing[key.store, default: []].append(key)
        continue
      }
      if object.flags.contains(.deleted) { continue }
      if let chunk = object.chunk {
        copies.add(object.key, chunk, object.rowIndex)
      } else {
        missing[key.store, default: []].append(key)
      }
    }
    for (_, group) in missing.sorted(by: { $0.key < $1.key }) {
      try host.loadRows(group).forEach { key, chunk, row in copies.add(key, chunk, row) }
    }
    return copies.rows
  }

  /// Returns the current members of each owner's to-many in `slot`, and the current rows of these members.
  ///
  /// - Throws: an error from reading rows or members.
  /// - Complexity: as `prefetch(_:of:)`.
  package func currentRelated(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let owners = owners.map { object(for: keys.currentKey(for: $0)) }
    var held: [GraphObject] = []
    if let name = owners.first?.entityDefinition.properties[slot].name {
      held = try load([[name]], of: owners)
    }
    return try withExtendedLifetime(held) {
      let members = owners.map { currentMembers(of: $0.key, slot: slot) }
      var seen: Set<ObjectKey> = []
      let found = members.joined().filter { seen.insert($0).inserted }
      return RelatedRows(members: members, rows: try currentRows(for: found))
    }
  }

  /// Returns the keys of a to-many's current members, except deleted objects; empty if the owner is deleted.
  package func currentMembers(of owner: ObjectKey, slot: Int) -> [ObjectKey] {
    let object = object(for: owner)
    if object.flags.contains(.deleted) { return [] }
    return memberKeys(object, slot: slot).filter { key in
      registry.object(for: key)?.flags.contains(.deleted) != true
    }
  }
}
