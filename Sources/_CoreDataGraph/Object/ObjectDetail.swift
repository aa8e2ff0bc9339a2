// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// State that only some objects need: changed and observed objects, objects with used to-manys, and objects
/// with live values in opaque or transient slots.
///
/// One allocation of 72 bytes; state that few of these objects need is in a second allocation.
package final class ObjectDetail {
  /// The row of the last fetch or save; nil while the object's own row holds those values.
  @exclusivity(unchecked) package var base: ChunkRow?
  /// The to-manys that were used, in the order of `EntityDefinition.toManySlots`.
  @exclusivity(unchecked) package var toManys = ToManys()
  @exclusivity(unchecked) private var changedBits: UInt64 = 0
  @exclusivity(unchecked) private var changedInEventBits: UInt64 = 0
  @exclusivity(unchecked) private var lastEventBits: UInt64 = 0
  @exclusivity(unchecked) private var rare: RareDetail?

  init() {}

  /// Slots set since the last save or fetch, to-manys included.
  package var changed: SlotSet {
    get { SlotSet(bits: changedBits, rest: rare?.changed ?? []) }
    set {
      changedBits = newValue.bits
      if rare != nil || !newValue.rest.isEmpty { rareCreatingIfNeeded.changed = newValue.rest }
    }
  }
  /// Slots set since the last processing of pending changes.
  package var changedInEvent: SlotSet {
    get { SlotSet(bits: changedInEventBits, rest: rare?.changedInEvent ?? []) }
    set {
      changedInEventBits = newValue.bits
      if rare != nil || !newValue.rest.isEmpty {
        rareCreatingIfNeeded.changedInEvent = newValue.rest
      }
    }
  }
  /// Slots set in the event that was reported last; empty if more slots than these may have changed.
  package var changedInLastEvent: SlotSet { SlotSet(bits: lastEventBits, rest: []) }

  /// Ends the event: the slots that were changed in it become the slots of the last event.
  func endEvent() {
    let changed = changedInEvent
    lastEventBits = changed.rest.isEmpty ? changed.bits : 0
    changedInEvent = SlotSet()
  }

  /// Empties `changedInLastEvent`, because more slots than those in it were reported as changed.
  func clearLastEvent() { lastEventBits = 0 }

  /// Slot → the live object of an opaque or transient slot.
  package var objects: [Int: Any] {
    get { rare?.objects ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.objects = newValue } }
  }
  /// The live objects of the slots (see `objects`) at the time when `base` was set.
  package var baseObjects: [Int: Any] {
    get { rare?.baseObjects ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.baseObjects = newValue } }
  }
  /// Slots written without being recorded; they reach the store with the next recorded change.
  package var untracked: SlotSet {
    get { rare?.untracked ?? SlotSet() }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.untracked = newValue } }
  }
  /// Slot of a relationship → its destinations when `announceChange` was called for it.
  package var announced: [Int: [ObjectKey]] {
    get { rare?.announced ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.announced = newValue } }
  }
  /// The observers of the object's properties; an object of the module CoreData.
  package var observers: AnyObject? {
    get { rare?.observers }
    set { if rare != nil || newValue != nil { rareCreatingIfNeeded.observers = newValue } }
  }

  /// Whether the detail holds no state: no to-many was used, and nothing was changed or observed.
  package var isEmpty: Bool {
    base == nil && toManys.isEmpty && rare == nil && changedBits == 0 && changedInEventBits == 0
  }

  private var rareCreatingIfNeeded: RareDetail {
    if let rare { return rare }
    let made = RareDetail()
    rare = made
    return made
  }
}

/// State that few changed objects need.
private final class RareDetail {
  /// The slots of `changed` from 64 on.
  @exclusivity(unchecked) var changed: [UInt64] = []
  @exclusivity(unchecked) var changedInEvent: [UInt64] = []
  @exclusivity(unchecked) var objects: [Int: Any] = [:]
  @exclusivity(unchecked) var baseObjects: [Int: Any] = [:]
  @exclusivity(unchecked) var untracked = SlotSet()
  @exclusivity(unchecked) var announced: [Int: [ObjectKey]] = [:]
  @exclusivity(unchecked) var observers: AnyObject?
}
