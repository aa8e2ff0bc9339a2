// SPDX-License-Identifier: Apache-2.0

import CoreDataGraph
import CoreDataModel
import CoreDataStore

/// Reads the destinations of relationships together, before somebody reads them one by one.
extension NSManagedObjectContext {
  /// Loads what lies on the key paths from the objects; the caller holds the result while it reads.
  ///
  /// - Complexity: for each relationship one statement for the members and one for some hundred rows.
  func prefetch(
    _ paths: Set<[String]>,
    of objects: [NSManagedObject]
  ) throws -> [NSManagedObject] {
    if objects.isEmpty { return [] }
    var held: [NSManagedObject] = []
    for (key, members) in Dictionary(grouping: paths, by: { $0[0] }) {
      let destinations = try load(key, of: objects)
      held += destinations
      let further = Set(members.map { Array($0.dropFirst()) }.filter { !$0.isEmpty })
      if !further.isEmpty { held += try prefetch(further, of: destinations) }
    }
    return held
  }

  private func load(_ key: String, of objects: [NSManagedObject]) throws -> [NSManagedObject] {
    var ones: [ObjectKey] = []
    var owners: [Int: [NSManagedObject]] = [:]
    for object in objects {
      guard let property = object.entityDefinition.property(named: key), !property.isTransient
      else { continue }
      if property.isToMany {
        owners[property.slot, default: []].append(object)
      } else if property.isToOne {
        object.realize()
        if let chunk = object.chunk, !chunk.isNull(object.rowIndex, property.slot) {
          ones.append(chunk.key(object.rowIndex, property.slot))
        }
      }
    }
    for (slot, owners) in owners {
      try loadMembers(of: owners, slot)
      for owner in owners { ones += graph.memberKeys(owner, slot: slot) }
    }
    return try load(ones)
  }

  /// Fills the to-many of those owners that have not read it.
  private func loadMembers(of owners: [NSManagedObject], _ slot: Int) throws {
    let unread = owners.filter { !$0.key.isTemporary && !graph.isLoaded($0, slot: slot) }
    for (_, owners) in Dictionary(grouping: unread, by: { $0.key.store }) {
      let members = try loadMembers(of: owners.map(\.key), slot: slot)
      for (owner, keys) in zip(owners, members) { graph.load(owner, slot: slot, members: keys) }
    }
  }

  /// The objects of the keys, with the rows of those that have none at hand.
  private func load(_ keys: [ObjectKey]) throws -> [NSManagedObject] {
    let keys = Array(Set(keys))
    let missing = keys.filter { key in
      if key.isTemporary { return false }
      guard let known = registry.object(for: key) else { return true }
      return known.chunk == nil
    }
    var held: [NSManagedObject] = []
    for (_, keys) in Dictionary(grouping: missing, by: \.store) {
      held += register(try loadRows(keys), realizing: false)
    }
    return withExtendedLifetime(held) { keys.map { object(for: $0) } }
  }
}
