// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A loaded link to an object that is deleted, or whose row is gone.
package struct DeadLink: CustomStringConvertible {
  package let owner: ObjectKey
  package let relationship: String
  package let destination: ObjectKey
  /// Whether the destination is registered and deleted; if false, the destination's row is gone.
  package let isDeletedHere: Bool

  package var description: String {
    "\(relationship) of \(owner) leads to \(destination), which "
      + (isDeletedHere ? "is deleted" : "has no row")
  }
}

extension ObjectGraph {
  /// Returns the loaded links whose owner is registered and not deleted, and whose destination is deleted
  /// here or has no row in the store or parent.
  ///
  /// Relationships without an inverse, and relationships whose inverse has the delete rule deny or no action,
  /// are left out, because deletions do not change them. The result is meaningful only after all saves of
  /// other contexts have been merged.
  /// - Throws: an error from reading the rows.
  /// - Complexity: O(loaded links), and one statement for each store, hierarchy and block of 20,000
  ///   destinations. For tests.
  package func deadLinks() throws -> [DeadLink] {
    let objects = registry.objects
    var links: [(owner: GraphObject, slot: Int, key: ObjectKey)] = []
    for object in objects where object.flags.isDisjoint(with: [.deleted, .inaccessible]) {
      for slot in model.linkSlots.followed[object.key.entity] {
        for key in loadedDestinations(of: object, slot: slot) { links.append((object, slot, key)) }
      }
    }
    var asked: [Int: Set<ObjectKey>] = [:]
    for (_, _, key) in links {
      let known = registry.object(for: key)
      if known?.flags.isDisjoint(with: [.inserted, .deleted]) == false { continue }
      asked[key.store, default: []].insert(key)
    }
    var present: Set<UInt64> = []
    for keys in asked.values {
      try host.loadRows(Array(keys)).forEach { key, _, _ in present.insert(registry.identity(key)) }
    }
    return links.compactMap { owner, slot, key in
      let known = registry.object(for: key)
      let isDeleted = known?.flags.contains(.deleted) == true
      if !isDeleted {
        if known?.flags.contains(.inserted) == true { return nil }
        if present.contains(registry.identity(key)) { return nil }
      }
      return DeadLink(
        owner: owner.key,
        relationship:
          "\(owner.entityDefinition.name).\(owner.entityDefinition.properties[slot].name)",
        destination: key,
        isDeletedHere: isDeleted
      )
    }
  }

  /// Returns the destinations of a relationship that are known without reading rows or members.
  func loadedDestinations(of object: GraphObject, slot: Int) -> [ObjectKey] {
    if object.entityDefinition.properties[slot].isToMany {
      guard var state = object.detail?.toManys[toManyPosition(object, slot)] else { return [] }
      return state.keys
    }
    guard let chunk = object.chunk, !chunk.isNull(object.rowIndex, slot) else { return [] }
    return [chunk.key(object.rowIndex, slot)]
  }
}
