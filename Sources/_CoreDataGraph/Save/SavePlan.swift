// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The row operations of one save, grouped by store, and the objects that they concern.
package struct SavePlan {
  /// Store index → the row operations for that store.
  package var batches = ValuesByStore<SaveBatch>()
  /// Store index → the objects of `SaveBatch.inserts`, in the same order.
  package var inserted = ValuesByStore<[GraphObject]>()
  /// Changed objects; those with a row operation are also in `versioned`.
  package var updated: [GraphObject] = []
  package var versioned: [GraphObject] = []
  package var deleted: [GraphObject] = []

  package init() {}
  package var isEmpty: Bool { batches.allSatisfy { $0.value.isEmpty } }
}

extension ObjectGraph {
  /// Returns the row operations that save the unsaved changes and check the versions of watched objects.
  ///
  /// Does not change the graph.
  /// - Parameter store: returns the index of the store for a new object.
  /// - Returns: a batch for each store with row operations, and the objects that these operations concern.
  /// - Complexity: O(unsaved objects).
  package func planSave(store: (GraphObject) -> Int) -> SavePlan {
    var plan = SavePlan()
    planInserts(store, &plan)
    planUpdates(&plan)
    planDeletes(&plan)
    if !watched.isEmpty { for object in watched.objects { planCheck(object, &plan) } }
    return plan
  }

  private func planInserts(_ store: (GraphObject) -> Int, _ plan: inout SavePlan) {
    let objects = inserted
    let oneWay = model.linkSlots.oneWay
    // Consecutive objects usually go to one store, so the batch is looked up once for each run.
    var position = 0
    while position < objects.count {
      let index = store(objects[position])
      var inserts: [SaveBatch.Insert] = []
      if position == 0 { inserts.reserveCapacity(objects.count) }
      let first = position
      while position < objects.count, position == first || store(objects[position]) == index {
        let object = objects[position]
        position += 1
        guard let chunk = object.chunk else { continue }
        inserts.append(SaveBatch.Insert(key: object.key, chunk: chunk, row: object.rowIndex))
        let links = oneWay[object.key.entity]
        if !links.isEmpty { planDestinations(of: object, links, store: index, &plan) }
        if object.detail != nil { planMembers(object, index, &plan) }
      }
      plan.batches[index, default: SaveBatch()].inserts.appendOrReplace(inserts)
      // Usually one run contains all objects, so the array need not be copied.
      if position - first == objects.count {
        plan.inserted[index] = objects
      } else {
        plan.inserted[index, default: []] += objects[first..<position]
      }
    }
  }

  private func planUpdates(_ plan: inout SavePlan) {
    let objects = updated
    if objects.isEmpty { return }
    let oneWay = model.linkSlots.oneWay
    plan.updated = objects
    var updates = SaveBatch.Updates(capacity: objects.count)
    plan.versioned.reserveCapacity(objects.count)
    var store = -1
    for object in objects {
      guard let update = update(of: object) else { continue }
      if update.key.store != store, !updates.isEmpty {
        plan.batches[store, default: SaveBatch()].updates.append(contentsOf: updates)
        updates = SaveBatch.Updates(capacity: 0)
      }
      store = update.key.store
      updates.append(update)
      plan.versioned.append(object)
      planMembers(object, store, &plan)
      let links = oneWay[object.key.entity]
      if !links.isEmpty { planDestinations(of: object, links, store: store, &plan) }
    }
    if !updates.isEmpty {
      plan.batches[store, default: SaveBatch()].updates.append(contentsOf: updates)
    }
  }

  private func update(of object: GraphObject) -> SaveBatch.Update? {
    let properties = object.entityDefinition.properties
    var stored = SlotSet()
    var toManys = SlotSet()
    for slot in writtenSlots(object) {
      let property = properties[slot]
      if property.isStored { stored.insert(slot) }
      if property.isToMany && !property.isTransient { toManys.insert(slot) }
    }
    guard !stored.isEmpty || !toManys.isEmpty else { return nil }
    let place =
      object.chunk.map { (chunk: $0, row: object.rowIndex) }
      ?? RowChunk.single(object.entityDefinition.rowLayout)
    let version = expectedVersion(object)
    return SaveBatch.Update(
      key: object.key,
      chunk: place.chunk,
      row: place.row,
      slots: stored,
      toManys: toManys,
      expectedVersion: version,
      needsRow: version != nil || hasGained(object)
    )
  }

  private func hasGained(_ object: GraphObject) -> Bool {
    guard let toManys = object.detail?.toManys else { return false }
    return toManys.indices.contains { toManys[$0]?.added.isEmpty == false }
  }

  private func planDeletes(_ plan: inout SavePlan) {
    let objects = deleted
    if objects.isEmpty { return }
    plan.deleted = objects
    var deletes: [SaveBatch.Delete] = []
    var store = -1
    for object in objects where !object.flags.contains(.inaccessible) {
      if object.key.store != store, !deletes.isEmpty {
        plan.batches[store, default: SaveBatch()].deletes.appendOrReplace(deletes)
        deletes = []
      }
      store = object.key.store
      deletes.append(SaveBatch.Delete(key: object.key, expectedVersion: expectedVersion(object)))
    }
    if !deletes.isEmpty {
      plan.batches[store, default: SaveBatch()].deletes.appendOrReplace(deletes)
    }
  }

  private func planCheck(_ object: GraphObject, _ plan: inout SavePlan) {
    guard object.flags.isDisjoint(with: .unsaved), object.registry === registry,
      let version = expectedVersion(object)
    else { return }
    plan.batches[object.key.store, default: SaveBatch()].checks.append(
      SaveBatch.Check(key: object.key, expectedVersion: version)
    )
  }

  /// Adds checks that make the save fail if the row of a newly linked destination is gone.
  ///
  /// `slots` holds the object's relationships without an inverse. Other relationships need no check: a new
  /// link also changes the inverse, so the save updates the destination's row and detects that it is gone.
  /// Destinations in other stores, and destinations that this save inserts or deletes, are not checked.
  private func planDestinations(
    of object: GraphObject,
    _ slots: [Int],
    store: Int,
    _ plan: inout SavePlan
  ) {
    var keys: [ObjectKey] = []
    for slot in slots {
      if object.entityDefinition.properties[slot].isToMany {
        keys += object.detail?.toManys[toManyPosition(object, slot)]?.added ?? []
      } else if let chunk = object.chunk, let key = key((chunk, object.rowIndex), slot),
        committedRow(object).map({ self.key($0, slot) != key }) ?? true
      {
        keys.append(key)
      }
    }
    for key in keys where !key.isTemporary && key.store == store {
      if registry.object(for: key)?.flags.isDisjoint(with: [.inserted, .deleted]) == false {
        continue
      }
      plan.batches[store, default: SaveBatch()].checks.append(
        SaveBatch.Check(key: key, expectedVersion: nil)
      )
    }
  }

  /// Makes the next save check the object's version even if the object is not changed; does nothing for an
  /// inserted object.
  ///
  /// - Complexity: O(1) on average.
  package func watch(_ object: GraphObject) {
    if !object.flags.contains(.inserted) { watched.add(object) }
  }

  /// Whether a save has anything to write or to check.
  package var hasWork: Bool { hasChanges || !watched.isEmpty }

  /// Returns the version of the object's row as last read from the store or saved; nil if no row was read.
  ///
  /// A save detects a conflict if the row in the store has a different version.
  package func expectedVersion(_ object: GraphObject) -> Int64? {
    if let base = object.detail?.base { return base.chunk.version(base.row) }
    return object.chunk?.version(object.rowIndex)
  }

  private func planMembers(_ object: GraphObject, _ store: Int, _ plan: inout SavePlan) {
    guard let detail = object.detail else { return }
    if detail.toManys.indices.isEmpty { return }
    let definition = object.entityDefinition
    for (position, slot) in definition.toManySlots.enumerated() {
      guard var state = detail.toManys[position], state.hasChanges,
        let relationship = definition.properties[slot].relationship,
        !definition.properties[slot].isTransient
      else { continue }
      if model.ownsLinks(definition.properties[slot], relationship) {
        let living = state.added.filter { !isStoredNoLonger($0) }
        let link = SaveBatch.LinkChange(
          owner: object.key,
          slot: slot,
          added: living.sorted { $0.raw < $1.raw },
          removed: state.removed.sorted { $0.raw < $1.raw }
        )
        if !link.added.isEmpty || !link.removed.isEmpty {
          plan.batches[store, default: SaveBatch()].links.append(link)
        }
      }
      if relationship.isOrdered {
        plan.batches[store, default: SaveBatch()].orders.append(
          SaveBatch.OrderChange(
            owner: object.key,
            slot: slot,
            members: state.keys.filter { !isStoredNoLonger($0) }
          )
        )
      }
    }
  }

  private func isStoredNoLonger(_ key: ObjectKey) -> Bool {
    registry.object(for: key)?.flags.contains(.deleted) ?? false
  }
}

extension Array {
  /// Appends the other elements; replaces an empty array instead, so that no elements are copied.
  fileprivate mutating func appendOrReplace(_ others: [Element]) {
    if isEmpty { self = others } else { append(contentsOf: others) }
  }
}
