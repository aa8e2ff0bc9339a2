// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The objects whose changes a batch contains.
package struct AbsorbedObjects {
  /// The new objects, in the order of `SaveBatch.inserts`.
  package var inserted: [GraphObject] = []
  package var updated: [GraphObject] = []
  package var deleted: [GraphObject] = []
}

extension ObjectGraph {
  /// Turns the row operations of a batch into unsaved changes of this graph's objects.
  ///
  /// The graph must have no objects. New objects keep their temporary keys. Relationships are set with the
  /// functions that also change the inverses, so an object at the other end of a changed relationship is
  /// among the updated objects even if the batch does not contain that object. An update or deletion of a row
  /// that no longer exists has no effect.
  /// - Throws: errors from reading the rows of updated objects.
  package func absorb(_ batch: SaveBatch) throws -> AbsorbedObjects {
    var objects = AbsorbedObjects()
    objects.inserted = batch.inserts.map(absorbInsertion)
    let updated = try batch.updates.filter { try tryRealize(object(for: $0.key)) }
    for update in updated { absorbValues(of: update) }
    for insert in batch.inserts {
      absorbReferences(insert.key, (insert.chunk, insert.row), among: nil)
    }
    for update in updated {
      absorbReferences(update.key, (update.chunk, update.row), among: update.slots)
    }
    for link in batch.links { absorb(link) }
    for change in batch.orders {
      order(object(for: change.owner), change.slot, by: change.members)
    }
    for delete in batch.deletes {
      let mine = object(for: delete.key)
      if try tryRealize(mine) { self.delete(mine) }
    }
    objects.updated = self.updated
    objects.deleted = deleted
    return objects
  }

  private func absorbInsertion(_ new: SaveBatch.Insert) -> GraphObject {
    let mine = host.makeObject(for: new.key)
    let place = rows.copy(of: new.chunk, row: new.row, entity: new.key.entity)
    place.chunk.setVersion(place.row, 0)
    for slot in mine.entityDefinition.toOneSlots { place.chunk.setNull(place.row, slot) }
    mine.point(at: place.chunk, row: place.row)
    insert(mine)
    return mine
  }

  private func absorbValues(of update: SaveBatch.Update) {
    let mine = object(for: update.key)
    // An update without slots only increases the version of the row.
    markUpdated(mine)
    for slot in update.slots where mine.entityDefinition.properties[slot].relationship == nil {
      let place = willWrite(mine, slot: slot)
      place.chunk.copySlot(slot, to: place.row, from: update.chunk, update.row)
      mine.detail?.objects[slot] = nil
    }
  }

  /// `slots` are the slots that the batch writes; nil for all slots of a new object.
  private func absorbReferences(_ key: ObjectKey, _ place: ChunkRow, among slots: SlotSet?) {
    let mine = object(for: key)
    for slot in mine.entityDefinition.toOneSlots where slots?.contains(slot) ?? true {
      let destination = self.key(place, slot)
      if destination == reference(mine, slot: slot) { continue }
      setReference(mine, slot: slot, to: destination.map { object(for: $0) })
    }
  }

  private func absorb(_ link: SaveBatch.LinkChange) {
    let owner = object(for: link.owner)
    for key in link.removed { remove(object(for: key), from: owner, slot: link.slot) }
    for key in link.added { insert(object(for: key), into: owner, slot: link.slot) }
  }
}
