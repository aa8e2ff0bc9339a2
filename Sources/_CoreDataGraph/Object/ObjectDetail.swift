// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The part of an object's state that many objects do not need: unsaved changes, accessed to-manys, live
/// objects and observers.
///
/// An instance is one allocation of 72 bytes. Rarely used state is in a second allocation.
package final class ObjectDetail {
  /// The row with the values of the last fetch or save; nil if the current row holds these values, or if the
  /// object is inserted.
  @exclusivity(unchecked) package var base: ChunkRow?
  /// The states of the accessed to-manys, indexed by position in `EntityDefinition.toManySlots`.
  @exclusivity(unchecked) package var toManys = ToManys()
  @exclusivity(unchecked) private var changedBits: UInt64 = 0
  @exclusivity(unchecked) private var changedInEventBits: UInt64 = 0
  @exclusivity(unchecked) private var lastEventBits: UInt64 = 0
  @exclusivity(unchecked) private var rare: RareDetail?

  init() {}

  /// The slots that have changed since the last save or fetch; for an inserted object, only the slots of
  /// to-manys are recorded.
  package var changed: SlotSet {
    get { SlotSet(bits: changedBits, rest: rare?.changed ?? []) }
    set {
      changedBits = newValue.bits
      if rare != nil || !newValue.rest.isEmpty { rareCreatingIfNeeded.changed = newValue.rest }
    }
  }
  /// The slots that have changed in the current event.
  package var changedInEvent: SlotSet {
    get { SlotSet(bits: changedInEventBits, rest: rare?.changedInEvent ?? []) }
    set {
      changedInEventBits = newValue.bits
      if rare != nil || !newValue.rest.isEmpty {
        rareCreatingIfNeeded.changedInEvent = newValue.rest
      }
    }
  }
  /// The slots that changed in the event that was reported last; empty if not all of them are known.
  package var changedInLastEvent: SlotSet { SlotSet(bits: lastEventBits, rest: []) }

  /// Moves `changedInEvent` to `changedInLastEvent`.
  ///
  /// `changedInLastEvent` has room for 64 slots only. It becomes empty if a slot from 64 on has changed.
  func endEvent() {
    let changed = changedInEvent
    lastEventBits = changed.rest.isEmpty ? changed.bits : 0
    changedInEvent = SlotSet()
  }

  /// Empties `changedInLastEvent`; to be called before a change whose slots are not known is reported.
  func clearLastEvent() { lastEventBits = 0 }

  /// Slot of an opaque or transient attribute → the object that is its current value.
  package var objects: [Int: Any] {
    get { rare?.objects ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.objects = newValue } }
  }
  /// Slot of an opaque or transient attribute → the object that was its value in `base`.
  package var baseObjects: [Int: Any] {
    get { rare?.baseObjects ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.baseObjects = newValue } }
  }
  /// The slots whose values were set without recording a change, for example by primitive accessors.
  ///
  /// A save writes these values only if the object has unsaved changes.
  package var untracked: SlotSet {
    get { rare?.untracked ?? SlotSet() }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.untracked = newValue } }
  }
  /// Slot of a relationship → its destinations at the time when a change was last announced; see
  /// `ObjectGraph.announceChange(_:slot:)`.
  package var announced: [Int: [ObjectKey]] {
    get { rare?.announced ?? [:] }
    set { if rare != nil || !newValue.isEmpty { rareCreatingIfNeeded.announced = newValue } }
  }
  /// The observers of the object's properties; their class is declared in the module CoreData.
  package var observers: AnyObject? {
    get { rare?.observers }
    set { if rare != nil || newValue != nil { rareCreatingIfNeeded.observers = newValue } }
  }

  /// Whether the detail holds no state except `changedInLastEvent`.
  ///
  /// False if rarely used state was ever set, even if that state is empty now.
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
