// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Prepares and records a change of a slot as `beginChange(_:slot:)` does, and returns the row to write to.
  package func willWrite(_ object: GraphObject, slot: Int) -> ChunkRow {
    beginChange(object, slot: slot)
    guard let chunk = object.chunk else {
      preconditionFailure(
        "internal error: the \(object.entityDefinition.name) object \(object.key) is not a fault but has no "
          + "row"
      )
    }
    return (chunk, object.rowIndex)
  }

  /// Returns the slots with recorded changes whose values differ from those of the last save or fetch,
  /// including to-manys.
  ///
  /// For a new object, these are the changed to-manys, and the other slots whose values differ from the
  /// model's default values. Slots with unrecorded changes are left out.
  package func changedSlots(_ object: GraphObject) -> SlotSet {
    if object.flags.contains(.inserted) {
      return object.chunk.map { newSlots(object, $0) } ?? SlotSet()
    }
    guard let detail = object.detail else { return SlotSet() }
    var slots = SlotSet()
    let definition = object.entityDefinition
    for slot in detail.changed {
      let property = definition.properties[slot]
      if property.isToMany {
        if detail.toManys[toManyPosition(object, slot)]?.hasChanges == true { slots.insert(slot) }
      } else if let base = detail.base, let chunk = object.chunk {
        if !chunk.slotEquals(object.rowIndex, slot, of: base.chunk, row: base.row) {
          slots.insert(slot)
        }
      } else {
        slots.insert(slot)
      }
    }
    return slots
  }

  /// Returns `changedSlots(_:)` and, for a new object, also the slots with unrecorded changes whose values
  /// differ from the model's default values.
  ///
  /// A slot with unrecorded changes is left out if it is in `defaults`. The caller passes the slots that
  /// still have their default value although no row can hold it.
  package func differingSlots(_ object: GraphObject, except defaults: SlotSet) -> SlotSet {
    var slots = changedSlots(object)
    guard object.flags.contains(.inserted), let untracked = object.detail?.untracked,
      let chunk = object.chunk
    else { return slots }
    let template = rows.template(object.key.entity)
    for slot in untracked
    where !defaults.contains(slot) && !chunk.slotEquals(object.rowIndex, slot, of: template, row: 0)
    {
      slots.insert(slot)
    }
    return slots
  }

  private func newSlots(_ object: GraphObject, _ chunk: RowChunk) -> SlotSet {
    var slots = SlotSet()
    let defaults = rows.template(object.key.entity)
    let untracked = object.detail?.untracked ?? SlotSet()
    for property in object.entityDefinition.properties {
      if property.isToMany {
        guard let detail = object.detail else { continue }
        if detail.toManys[toManyPosition(object, property.slot)]?.hasChanges == true {
          slots.insert(property.slot)
        }
      } else if !untracked.contains(property.slot),
        !chunk.slotEquals(object.rowIndex, property.slot, of: defaults, row: 0)
          || object.detail?.objects[property.slot] != nil
      {
        slots.insert(property.slot)
      }
    }
    return slots
  }

  /// Returns the slots that a save writes.
  ///
  /// These are the changed slots. If a slot has changed and the object has a base, the result also contains
  /// the slots with unrecorded changes whose values differ from the base.
  func writtenSlots(_ object: GraphObject) -> SlotSet {
    var slots = changedSlots(object)
    guard !slots.isEmpty, let detail = object.detail, let base = detail.base,
      let chunk = object.chunk
    else { return slots }
    for slot in detail.untracked
    where !chunk.slotEquals(object.rowIndex, slot, of: base.chunk, row: base.row) {
      slots.insert(slot)
    }
    return slots
  }

  func key(_ place: ChunkRow, _ slot: Int) -> ObjectKey? {
    place.chunk.isNull(place.row, slot) ? nil : place.chunk.key(place.row, slot)
  }

  /// Returns the row with the values of the last fetch or save; nil for a new object and for an object
  /// without a row.
  package func committedRow(_ object: GraphObject) -> ChunkRow? {
    if object.flags.contains(.inserted) { return nil }
    if let base = object.detail?.base { return base }
    return object.chunk.map { ($0, object.rowIndex) }
  }
}
