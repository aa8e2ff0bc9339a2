// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The part of an object's state that many objects do not need: unsaved changes, accessed to-manys, live
/// objects and observers.
///
/// One allocation of 72 bytes; rarely used parts are in a second allocation.
package final class ObjectDetail {
  /// The row with the values of the last fetch or save; nil if the current row holds these values, and for an
  /// inserted object.
  @exclusivity(unchecked) package var base: ChunkRow?
  /// The states of the accessed to-manys, indexed by position in `EntityDefinition.toManySlots`.
  @exclusivity(unchecked) package var toManys = ToManys()
  @exclusivity(unchecked) private var changedBits: UInt64 = 0
  @exclusivity(unchecked) private var changedInEventBits: UInt64 = 0
  @exclusivity(unchecked) private var lastEventBits: UInt64 = 0
  @exclusivity(unchecked) private var rare: RareDetail?

  init() {}

  /// The slots changed since the last save or fetch; of an inserted object, only to-manys.
  package var changed: SlotSet {
    get { SlotSet(bits: changedBits, rest: rare?.changed ?? []) }
    set {
      changedBits = newValue.bits
      if rare != nil || !newValue.rest.isEmpty { rareCreatingIfNeeded.changed = newValue.rest }
    }
  }
  /// The slots of the changes recorded since the last processing of pending changes.
  package var changedInEvent: SlotSet {
    get { SlotSet(bits: changedInEventBits, rest: rare?.changedInEvent ?? []) }
    set {
      changedInEventBits = newValue.bits
      if rare != nil || !newValue.rest.isEmpty {
        rareCreatingIfNeeded.changedInEvent = newValue.rest
      }
    }
  }
  /// The slots changed in the event that was reported last; empty if these slots are not completely known.
  package var changedInLastEvent: SlotSet { SlotSet(bits: lastEventBits, rest: []) }

  /// Moves `changedInEvent` to `changedInLastEvent`, which becomes empty if a slot from 64 on has changed.
  func endEvent() {
    let changed = changedInEvent
    lastEventBits = changed.rest.isEmpty ? changed.bits : 0
    changedInEvent = SlotSet()
  }

  /// Empties `changedInLastEvent`, for a report of changes whose slots are not known.
  func clearLastEvent() { lastEventBits = 0 }

  /// Slot of an opaque or transient attribute → its live object.
  package var objects: [Int: Any] {
    get { rare?.objects ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.objects = newValue } }
  }
  /// The live objects that belong to `base`; see `objects`.
  package var baseObjects: [Int: Any] {
    get { rare?.baseObjects ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.baseObjects = newValue } }
  }
  /// The slots whose values were changed without recording the changes.
  ///
  /// A save writes these values only if the object has unsaved changes.
  package var untracked: SlotSet {
    get { rare?.untracked ?? SlotSet() }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.untracked = newValue } }
  }
  /// Slot of a relationship → the destinations of the relationship at the last announced change; see
  /// `ObjectGraph.announceChange(_:slot:)`.
  package var announced: [Int: [ObjectKey]] {
    get { rare?.announced ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.announced = newValue } }
  }
  /// The observers of the object's properties; an object of the module CoreData.
  package var observers: AnyObject? {
    get { rare?.observers }
    set { if rare != nil || newValue != nil { rareCreatingIfNeeded.observers = newValue } }
  }

  /// Whether the detail is known to hold no state except `changedInLastEvent`.
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

private final class RareDetail {
  /// The bits of `ObjectDetail.changed` for the slots from 64 on.
  @exclusivity(unchecked) var changed: [UInt64] = []
  @exclusivity(unchecked) var changedInEvent: [UInt64] = []
  @exclusivity(unchecked) var objects: [Int: Any] = [:]
  @exclusivity(unchecked) var baseObjects: [Int: Any] = [:]
  @exclusivity(unchecked) var untracked = SlotSet()
  @exclusivity(unchecked) var announced: [Int: [ObjectKey]] = [:]
  @exclusivity(unchecked) var observers: AnyObject?
}
