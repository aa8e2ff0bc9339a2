// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// What many deletions need of the store, asked for together.
extension ObjectGraph {
  /// Owners of one to-many that one statement can load.
  private struct OwnerGroup: Hashable {
    let store: Int
    let declaringEntity: Int
    let slot: Int
  }

  /// Loads rows, members and destinations that the delete rules of `deleted` look at.
  ///
  /// - Returns: the objects that got rows, to be held until the rules were applied.
  /// - Complexity: one statement for each to-many property, and one for each hierarchy and some
  ///   hundred rows.
  func loadDestinations(of deleted: [GraphObject]) -> [GraphObject] {
    let related = deleted.filter { !$0.entityDefinition.deletionSlots.isEmpty }
    if related.isEmpty { return [] }
    var held = loadRows(of: related.map(\.key))
    for object in related { realize(object) }
    loadMembers(of: related, \.isAskedByDeletion)
    held += loadRows(of: related.flatMap(destinationsToLoad))
    return held
  }

  /// Loads the to-manys that `isWanted` holds for and that are not loaded yet.
  ///
  /// - Complexity: one statement for each to-many property.
  func loadMembers(of objects: [GraphObject], _ isWanted: (PropertyDefinition) -> Bool) {
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
    for (group, owners) in groups { loadMembers(of: owners, slot: group.slot) }
  }

  /// Loads one to-many of objects that share a store and the property.
  private func loadMembers(of owners: [GraphObject], slot: Int) {
    do {
      let members = try host.loadMembers(of: owners.map(\.key), slot: slot)
      for (owner, keys) in zip(owners, members) {
        _ = updateToMany(owner, slot: slot) { state in
          if !state.isLoaded { state.load(keys) }
          return true
        }
        leaveOutDeleted(of: owner, slot)
      }
    } catch {
      host.faultFailed(owners[0], error)
    }
  }

  /// Destinations whose rows a rule reads: cascades go on from them, and a to-one inverse is in them.
  private func destinationsToLoad(_ object: GraphObject) -> [ObjectKey] {
    let entity = object.entityDefinition
    return entity.deletionSlots.flatMap { slot -> [ObjectKey] in
      let property = entity.properties[slot]
      guard let relationship = property.relationship else { return [] }
      if relationship.deleteRule == .deny { return [] }
      if relationship.deleteRule == .nullify, let inverse = relationship.inverse,
        model.entities[relationship.destination].properties[inverse].isToMany
      {
        return []
      }
      if property.isToMany { return memberKeys(object, slot: property.slot) }
      return reference(object, slot: property.slot).map { [$0] } ?? []
    }
  }

  /// Gives the objects of `keys` that have no row theirs, together.
  private func loadRows(of keys: [ObjectKey]) -> [GraphObject] {
    var wanted: [Int: [ObjectKey]] = [:]
    var seen: Set<ObjectKey> = []
    for key in keys where !key.isTemporary && seen.insert(key).inserted {
      if registry.object(for: key)?.chunk == nil { wanted[key.store, default: []].append(key) }
    }
    var held: [GraphObject] = []
    for keys in wanted.values {
      let rows = readRows(keys)
      held.reserveCapacity(held.count + rows.keys.count)
      rows.forEach { key, chunk, row in
        let object = self.object(for: key)
        if object.chunk == nil { fill(object, from: chunk, row: row) }
        held.append(object)
      }
    }
    return held
  }

  /// Realises faults without rows together; those whose rows are gone stay faults.
  ///
  /// - Throws: what reading the rows throws; some of them may be realised then.
  /// - Complexity: one statement for each store and some hundred rows.
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

  /// Stops where the rows cannot be read: what needs them has no way to fail.
  func readRows(_ keys: [ObjectKey]) -> FetchedRows {
    do {
      return try host.loadRows(keys)
    } catch {
      host.faultFailed(object(for: keys[0]), error)
    }
  }
}
