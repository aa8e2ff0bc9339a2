// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

extension MergeSession {
  /// Resolves the conflict between an object and its stored row, so that the save can be tried again.
  ///
  /// `stored` is the newest row; nil if the row is gone.
  /// - Throws: an error from reading the members of to-manys or the rows of related objects.
  /// - Complexity: one statement for each changed to-many of the object and of each related object that is
  ///   refreshed. Related rows that `readNewest(around:)` has not read need further statements.
  package func resolve(_ object: GraphObject, stored: ChunkRow?, by rule: MergeRule) throws {
    graph.capture(object)
    if object.isWatched { graph.host.willReplaceValues(of: object) }
    defer { if object.isWatched { graph.host.didReplaceValues(of: object) } }
    switch rule.outcome(mine: fate(object), stored: stored == nil ? .deleted : .changed) {
    case .merge:
      if let stored { try merge(object, with: stored, by: rule) }
    case .insertAgain:
      // A row that was never read and no longer exists leaves no values to insert.
      if object.chunk == nil { drop(object) } else { try insertAgain(object, by: rule) }
    case .drop: drop(object)
    case .delete:
      if let stored { try delete(object, as: stored, by: rule) }
    case .restore:
      if let stored { try restore(object, to: stored, by: rule) }
    case .deletedOnBothSides: object.flags.insert(.inaccessible)
    }
  }

  func fate(_ object: GraphObject) -> MergeRule.Fate {
    if object.flags.contains(.deleted) { return .deleted }
    return object.flags.isDisjoint(with: [.updated, .inserted]) ? .unchanged : .changed
  }

  // MARK: Changed on both sides

  private func merge(_ object: GraphObject, with stored: ChunkRow, by policy: MergeRule) throws {
    // An object without unsaved changes has nothing to write, so it gets the stored values.
    let rule = fate(object) == .unchanged ? .storeTrump : policy
    guard let chunk = object.chunk else {
      // The row of this object was never read, so only its to-manys can have changes.
      object.point(at: stored.chunk, row: stored.row)
      try mergeMembers(of: object, by: rule)
      return
    }
    let mine: ChunkRow = (chunk, object.rowIndex)
    // An inserted object can have a stored row: after the row was deleted, `insertAgain` marked the object
    // for insertion, and then another save inserted the row again. The base of such an object is the row
    // before the deletion; nil if that row is unknown.
    let isInserted = object.flags.contains(.inserted)
    let base = isInserted ? turnIntoUpdate(object) : object.detail?.base ?? mine
    let merged = graph.rows.copy(of: stored.chunk, row: stored.row, entity: object.key.entity)
    var references: [Int] = []
    for property in object.entityDefinition.properties {
      let slot = property.slot
      if property.isToMany || chunk.layout.kinds[slot] == .none { continue }
      if property.isTransient {
        merged.chunk.copySlot(slot, to: merged.row, from: chunk, mine.row)
        continue
      }
      let side = rule.side(
        changedHere: base.map { !chunk.slotEquals(mine.row, slot, of: $0.chunk, row: $0.row) }
          ?? true,
        changedThere: base.map {
          !stored.chunk.slotEquals(stored.row, slot, of: $0.chunk, row: $0.row)
        }
          ?? true
      )
      if side == .mine {
        merged.chunk.copySlot(slot, to: merged.row, from: chunk, mine.row)
      } else {
        object.detail?.objects[slot] = nil
      }
      if property.isToOne { references.append(slot) }
    }
    object.point(at: merged.chunk, row: merged.row)
    object.detailCreatingIfNeeded.base = stored
    object.detailCreatingIfNeeded.baseObjects = [:]
    object.detailCreatingIfNeeded.changed.formUnion(SlotSet(object.entityDefinition.storedSlots))
    for slot in references {
      try reconcileReference(
        of: object,
        slot,
        mine: graph.key(mine, slot),
        stored: graph.key(stored, slot),
        base: base.flatMap { graph.key($0, slot) },
        // Related objects that are refreshed are merged by `policy`, because `rule` was chosen for this
        // object alone.
        by: policy
      )
    }
    try mergeMembers(of: object, by: rule)
    finishMerge(object)
  }

  /// Turns an inserted object, for which the store has a row now, into an updated object.
  ///
  /// - Returns: the row on which the object's changes are based; nil if that row is unknown.
  private func turnIntoUpdate(_ object: GraphObject) -> ChunkRow? {
    graph.clearUnsaved(object)
    graph.appendUpdated(object)
    guard let journal = backup?.journal, let position = journal.position(of: object) else {
      return nil
    }
    let image = journal.images[position]
    return image.flags.contains(.inserted) ? nil : image.base ?? image.chunkRow
  }

  /// Reports the object as updated; if it equals its stored row, removes it from the unsaved objects.
  private func finishMerge(_ object: GraphObject) {
    graph.note(object, .updatedInEvent)
    guard let detail = object.detail else { return }
    detail.changed = graph.changedSlots(object)
    guard detail.changed.isEmpty else { return }
    graph.clearUnsaved(object)
    graph.discardBase(detail)
  }

  /// Merges a realised object with its newest row if the versions differ; does nothing for inserted and
  /// deleted objects.
  ///
  /// A fault gets the newest row if this session has already read that row; otherwise the fault stays
  /// unchanged.
  func refresh(_ object: GraphObject, by rule: MergeRule) throws {
    guard object.flags.isDisjoint(with: [.inserted, .deleted]) else { return }
    if object.flags.contains(.fault) {
      guard case .some(.some(let stored)) = newestRows[graph.registry.identity(object.key)] else {
        return
      }
      graph.capture(object)
      return graph.fill(object, from: stored.chunk, row: stored.row)
    }
    guard let stored = try newest(object.key),
      stored.chunk.version(stored.row) != graph.expectedVersion(object)
    else { return }
    graph.capture(object)
    try merge(object, with: stored, by: rule)
  }
}
