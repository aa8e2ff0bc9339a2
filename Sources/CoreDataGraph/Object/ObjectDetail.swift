// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// What only changed objects, and objects with used to-manys, need to remember.
package final class ObjectDetail {
  /// Where the values of the last fetch or save are; nil while the object's own row holds them.
  @exclusivity(unchecked) package var base: (chunk: RowChunk, row: Int)?
  /// Slots set since the last save or fetch, to-manys included.
  @exclusivity(unchecked) package var changed = SlotSet()
  /// Slots set since the last processing of pending changes.
  @exclusivity(unchecked) package var changedInEvent = SlotSet()
  /// The to-manys that were used, in the order of `EntityDefinition.toManySlots`.
  @exclusivity(unchecked) package var toManys = ToManys()
  /// Slot → the live object of an opaque or transient slot.
  @exclusivity(unchecked) package var objects: [Int: Any] = [:]
  /// `objects` as they were when `base` was set.
  @exclusivity(unchecked) package var baseObjects: [Int: Any] = [:]
  /// Slots written without being recorded; they reach the store with the next recorded change.
  @exclusivity(unchecked) package var untracked = SlotSet()
  /// Slot of a relationship → its destinations when its change was announced.
  @exclusivity(unchecked) package var announced: [Int: [ObjectKey]] = [:]
  /// Who observes the object's properties; the shell's.
  @exclusivity(unchecked) package var observers: AnyObject?

  init() {}
}
