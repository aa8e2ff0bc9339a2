// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension ObjectGraph {
  /// Fires a fault; does nothing for an object that is not a fault.
  ///
  /// If the row no longer exists, the object is marked as deleted and inaccessible, its values become nil,
  /// and the next save removes it from the context. Stops the program if the row cannot be read.
  /// - Complexity: no statement if the row was already read and `FaultLoading.alwaysReadsRows` is false;
  ///   otherwise one statement, or the statements of `loadBatch(of:)`.
  package func realize(_ object: GraphObject, for slot: Int? = nil) {
    guard object.flags.contains(.fault) else { return }
    do {
      try fire(object, for: slot)
    } catch {
      host.faultFailed(object, error)
    }
  }

  /// As `realize(_:for:)`, for callers that can throw.
  ///
  /// - Throws: an error from reading the row; the object remains a fault.
  func fire(_ object: GraphObject, for slot: Int? = nil) throws {
    guard object.flags.contains(.fault) else { return }
    if object.chunk == nil || faulting.alwaysReadsRows, try !load(object) {
      return vanish(object, slot)
    }
    object.flags.remove(.fault)
    awake(object)
  }

  /// Fires a fault whose row was already read; does nothing for a fault without a row, or for an object that
  /// is not a fault.
  package func realizeFromRow(_ object: GraphObject) {
    guard object.flags.contains(.fault), object.chunk != nil else { return }
    object.flags.remove(.fault)
    awake(object)
  }

  private func vanish(_ object: GraphObject, _ slot: Int?) {
    host.rowVanished(object, slot: slot)
    let place = RowChunk.single(object.entityDefinition.rowLayout)
    object.point(at: place.chunk, row: place.row)
    object.flags.remove(.fault)
    object.flags.insert([.inaccessible, .propagated])
    if !object.flags.contains(.deleted) {
      // A deletion that another context has saved cannot be undone here.
      let journal = journals.undo
      journals.undo = nil
      markDeleted(object)
      journals.undo = journal
    }
    recordLostKeys([object.key])
  }

  /// Fires a fault; does nothing for an object that is not a fault.
  ///
  /// - Returns: false if the row no longer exists; otherwise true.
  /// - Throws: an error from reading the row.
  package func tryRealize(_ object: GraphObject) throws -> Bool {
    if object.flags.contains(.inaccessible) { return false }
    guard object.flags.contains(.fault) else { return true }
    if object.chunk == nil || faulting.alwaysReadsRows, try !load(object) { return false }
    object.flags.remove(.fault)
    awake(object)
    return true
  }

  /// Makes an object refer to a row that was read; a fault remains a fault.
  package func fill(_ object: GraphObject, from chunk: RowChunk, row: Int) {
    object.point(at: chunk, row: row)
  }

  private func awake(_ object: GraphObject) {
    object.flags.insert(.unrecorded)
    if hasTransientAttributes {
      if let chunk = object.chunk {
        let place = withTransientDefaults(chunk, object.rowIndex, object.key.entity)
        object.point(at: place.chunk, row: place.row)
      }
      host.setTransientObjects(of: object)
    }
    host.didRealize(object)
    object.flags.remove(.unrecorded)
  }

  /// Sets the null transient attributes of a row to their default values, and returns the row.
  ///
  /// A store has no transient values, but a row of a parent context can have them; these values are kept. If
  /// the default values do not fit into the row's chunk, the method changes and returns a copy of the row,
  /// because firing a fault must not move the bytes of a chunk whose texts are in use.
  /// Source: documented, “NSAttributeDescription.defaultValue”; observed with models that have mandatory
  /// transient attributes: rows read from a store can be saved again.
  func withTransientDefaults(
    _ chunk: RowChunk,
    _ row: Int,
    _ entity: Int
  ) -> ChunkRow {
    let slots = model.entities[entity].transientDefaultSlots
    if slots.isEmpty { return (chunk, row) }
    let template = rows.template(entity)
    let kinds = chunk.layout.kinds
    let missing = slots.filter { chunk.isNull(row, $0) }
    let bytes = missing.reduce(0) { $0 + (kinds[$1].isInArena ? template.bytes(0, $1).count : 0) }
    var place = (chunk: chunk, row: row)
    if bytes > chunk.arenaRoom { place = rows.copy(of: chunk, row: row, entity: entity) }
    for slot in missing { place.chunk.copySlot(slot, to: place.row, from: template, 0) }
    return place
  }

  private func load(_ object: GraphObject) throws -> Bool {
    if object.chunk == nil, try loadBatch(of: object) { return true }
    let entity = object.key.entity
    guard let loaded = try host.loadRow(object.key, into: rows.chunkForFault(entity: entity)) else {
      return false
    }
    if loaded.key == object.key {
      rows.setChunkForFault(loaded.chunk, entity: entity)
    } else {
      object.key = loaded.key
    }
    object.point(at: loaded.chunk, row: loaded.row)
    return true
  }

  // MARK: To-manys

  /// Loads the members of a to-many if they are not loaded yet; stops the program if they cannot be read.
  ///
  /// - Complexity: no statement if the members are loaded; otherwise at most one.
  package func loadToMany(_ object: GraphObject, slot: Int) {
    let position = toManyPosition(object, slot)
    var state = toMany(object, position, slot)
    guard !state.isLoaded else { return }
    do {
      let stored = try host.loadMembers(of: [object.key], slot: slot).first
      state.load(stored ?? [])
    } catch {
      host.faultFailed(object, error)
    }
    object.detailCreatingIfNeeded.toManys[position] = state
    // Members that are deleted here are left out until the deletion is saved or reverted.
    removeDeletedMembers(of: object, slot)
  }

  /// Returns whether the members of a to-many are loaded, so that reading them executes no statement.
  package func isLoaded(_ object: GraphObject, slot: Int) -> Bool {
    toMany(object, toManyPosition(object, slot), slot).isLoaded
  }

  /// Returns whether a to-many is not loaded and has no unsaved changes.
  ///
  /// Returns false for an inserted object, and for an object with a temporary key.
  package func isUntouched(_ object: GraphObject, slot: Int) -> Bool {
    if object.key.isTemporary || object.flags.contains(.inserted) { return false }
    guard let state = object.detail?.toManys[toManyPosition(object, slot)] else { return true }
    return !state.isLoaded && !state.hasChanges
  }

  /// Sets the stored members of a to-many; does nothing if the to-many is loaded.
  package func load(_ object: GraphObject, slot: Int, members: [ObjectKey]) {
    let position = toManyPosition(object, slot)
    var state = toMany(object, position, slot)
    if state.isLoaded { return }
    state.load(members)
    object.detailCreatingIfNeeded.toManys[position] = state
    removeDeletedMembers(of: object, slot)
  }

  /// Returns the keys of the current members, in order if the relationship is ordered; loads the members if
  /// necessary.
  package func memberKeys(_ object: GraphObject, slot: Int) -> [ObjectKey] {
    loadToMany(object, slot: slot)
    return object.detailCreatingIfNeeded.toManys[toManyPosition(object, slot)]?.keys ?? []
  }

  /// Returns whether `key` is the key of a current member; loads the members if necessary.
  package func isMember(_ key: ObjectKey, of object: GraphObject, slot: Int) -> Bool {
    loadToMany(object, slot: slot)
    return object.detailCreatingIfNeeded.toManys[toManyPosition(object, slot)]?.contains(key)
      ?? false
  }

  package func toManyPosition(_ object: GraphObject, _ slot: Int) -> Int {
    let slots = object.entityDefinition.toManySlots
    guard let position = slots.firstIndex(of: slot) else {
      preconditionFailure(
        "internal error: \(object.entityDefinition.properties[slot].name) of "
          + "\(object.entityDefinition.name) is not a to-many relationship"
      )
    }
    return position
  }

  /// Returns the state of a to-many, or a new state if the object's detail does not contain one.
  func toMany(_ object: GraphObject, _ position: Int, _ slot: Int) -> ToMany {
    if let known = object.detail?.toManys[position] { return known }
    let ordered = object.entityDefinition.properties[slot].relationship?.isOrdered ?? false
    return ToMany(isOrdered: ordered, isNew: object.flags.contains(.inserted))
  }

  func updateToMany(_ object: GraphObject, slot: Int, _ body: (inout ToMany) -> Bool) -> Bool {
    capture(object)
    let position = toManyPosition(object, slot)
    var state = toMany(object, position, slot)
    // The state is removed from the detail first, so that the change copies no storage.
    object.detailCreatingIfNeeded.toManys[position] = nil
    let changed = body(&state)
    object.detailCreatingIfNeeded.toManys[position] = state
    return changed
  }
}
