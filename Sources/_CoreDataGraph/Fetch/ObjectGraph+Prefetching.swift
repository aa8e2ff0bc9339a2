// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Reads the rows of the objects on the key paths from `roots`, without firing faults.
  ///
  /// The objects are kept alive until the chunks of the roots' rows are released, or until
  /// `releasePrefetched()` is called. Objects that were prefetched before for the same chunks are released.
  /// - Throws: an error from reading rows or members.
  /// - Complexity: one or two statements for each store, relationship, level and block of 20,000 rows.
  package func prefetch(_ paths: Set<[String]>, of roots: [GraphObject]) throws {
    if roots.isEmpty || paths.isEmpty { return }
    let prefetched = PrefetchedObjects(others(in: try load(paths, of: roots), than: roots))
    var last: RowChunk?
    for root in roots {
      guard let chunk = root.chunk, chunk !== last else { continue }
      chunk.retainedChunks = prefetched
      last = chunk
    }
    faulting.prefetched.add(prefetched)
  }

  /// Returns `objects` without `roots`.
  ///
  /// The chunks of the roots retain the result, so a root in it would retain itself.
  private func others(in objects: [GraphObject], than roots: [GraphObject]) -> [GraphObject] {
    let hierarchies = Set(roots.map { model.entities[$0.key.entity].root })
    let isOwn = model.entities.map { hierarchies.contains($0.root) }
    if !objects.contains(where: { isOwn[$0.key.entity] }) { return objects }
    let visited = Set(roots.map(ObjectIdentifier.init))
    return objects.filter { !visited.contains(ObjectIdentifier($0)) }
  }

  /// Releases all prefetched objects, even if the rows for which they were prefetched are still in use.
  package func releasePrefetched() { faulting.prefetched.release() }

  /// Loads and returns the objects on the key paths from `owners`.
  ///
  /// The caller must keep the result alive while it reads the objects.
  /// - Throws: an error from reading rows or members.
  /// - Complexity: as `prefetch(_:of:)`.
  package func load(_ paths: Set<[String]>, of owners: [GraphObject]) throws -> [GraphObject] {
    if owners.isEmpty { return [] }
    var held: [GraphObject] = []
    for (key, members) in Dictionary(grouping: paths, by: { $0[0] }) {
      let destinations = try load(key, of: owners)
      held += destinations
      let further = Set(members.map { Array($0.dropFirst()) }.filter { !$0.isEmpty })
      if !further.isEmpty { held += try load(further, of: destinations) }
    }
    return held
  }

  private func load(_ key: String, of owners: [GraphObject]) throws -> [GraphObject] {
    var ones: [GraphObject] = []
    var manys: [OwnerGroup: [GraphObject]] = [:]
    var slots: [Int: (slot: Int, isToMany: Bool, declaringEntity: Int)] = [:]
    for owner in owners where !owner.flags.contains(.inaccessible) {
      let entity = owner.key.entity
      if slots[entity] == nil {
        let property = owner.entityDefinition.property(named: key)
        let isStored = property?.relationship != nil && property?.isTransient == false
        slots[entity] = (
          isStored ? property?.slot ?? -1 : -1, property?.isToMany ?? false,
          property?.declaringEntity ?? -1
        )
      }
      guard let place = slots[entity], place.slot >= 0 else { continue }
      if place.isToMany {
        let group = OwnerGroup(
          store: owner.key.store,
          declaringEntity: place.declaringEntity,
          slot: place.slot
        )
        manys[group, default: []].append(owner)
      } else {
        ones.append(owner)
      }
    }
    var found = DistinctObjects()
    if !ones.isEmpty { found.add(try loadReferences(key, of: ones)) }
    for (group, owners) in manys { found.add(try loadMembers(of: owners, slot: group.slot)) }
    return found.objects
  }

  // MARK: To-ones

  private func loadReferences(_ key: String, of owners: [GraphObject]) throws -> [GraphObject] {
    try loadMissingRows(of: owners)
    var keys: Set<ObjectKey> = []
    for owner in owners {
      guard let chunk = owner.chunk, let slot = owner.entityDefinition.slotByName[key],
        !chunk.isNull(owner.rowIndex, slot)
      else { continue }
      keys.insert(chunk.key(owner.rowIndex, slot))
    }
    return try objects(of: keys)
  }

  // MARK: To-manys

  private func loadMembers(of owners: [GraphObject], slot: Int) throws -> [GraphObject] {
    let unread = owners.filter { !$0.key.isTemporary && !isLoaded($0, slot: slot) }
    var found: [GraphObject] = []
    if !unread.isEmpty {
      let related = try host.loadRelated(of: unread.map(\.key), slot: slot)
      found = host.objects(of: related.rows)
      for (owner, keys) in zip(unread, related.members) { load(owner, slot: slot, members: keys) }
    }
    // If a to-many was loaded before or has unsaved changes, the rows that were just read are not the rows of
    // all current members.
    if unread.count == owners.count && !hasChanges { return found }
    var keys: Set<ObjectKey> = []
    for owner in owners { keys.formUnion(memberKeys(owner, slot: slot)) }
    return try withExtendedLifetime(found) { try objects(of: keys) }
  }

  // MARK: Rows

  /// Reads the rows of those `keys` whose objects have no loaded row, and returns the objects of all keys.
  private func objects(of keys: Set<ObjectKey>) throws -> [GraphObject] {
    var missing: [Int: [ObjectKey]] = [:]
    for key in keys where !key.isTemporary {
      if registry.object(for: key)?.chunk == nil { missing[key.store, default: []].append(key) }
    }
    var held: [GraphObject] = []
    for keys in missing.values { held += host.objects(of: try host.loadRows(keys)) }
    return withExtendedLifetime(held) { keys.map { object(for: $0) } }
  }

  private func loadMissingRows(of objects: [GraphObject]) throws {
    let missing = objects.filter { $0.chunk == nil && $0.flags.contains(.fault) }
    for (_, group) in Dictionary(grouping: missing, by: \.key.store) {
      _ = host.objects(of: try host.loadRows(group.map(\.key)))
    }
  }
}

private struct DistinctObjects {
  private(set) var objects: [GraphObject] = []
  private var visited: Set<ObjectIdentifier> = []
  mutating func add(_ more: [GraphObject]) {
    if objects.isEmpty {
      // The objects of the first list are distinct already.
      objects = more
      return
    }
    if visited.isEmpty { visited = Set(objects.map(ObjectIdentifier.init)) }
    for object in more where visited.insert(ObjectIdentifier(object)).inserted {
      objects.append(object)
    }
  }
}
