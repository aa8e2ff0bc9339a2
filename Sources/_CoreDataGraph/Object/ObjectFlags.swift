// SPDX-License-Identifier: Apache-2.0

@frozen
@usableFromInline
package struct ObjectFlags: OptionSet, Sendable {
  @usableFromInline package let rawValue: UInt32
  @inlinable package init(rawValue: UInt32) { self.rawValue = rawValue }

  // The kinds of change since the last save.
  package static let inserted = ObjectFlags(rawValue: 1 << 0)
  package static let updated = ObjectFlags(rawValue: 1 << 1)
  package static let deleted = ObjectFlags(rawValue: 1 << 2)

  // The kinds of change in the current event.
  package static let insertedInEvent = ObjectFlags(rawValue: 1 << 3)
  package static let updatedInEvent = ObjectFlags(rawValue: 1 << 4)
  package static let deletedInEvent = ObjectFlags(rawValue: 1 << 5)
  package static let refreshedInEvent = ObjectFlags(rawValue: 1 << 6)

  /// The object is a fault; its row may have been read already.
  @inlinable package static var fault: ObjectFlags { ObjectFlags(rawValue: 1 << 7) }
  /// The class was generated for slots other than the model's, so its accessors look up properties by name.
  @inlinable package static var misaligned: ObjectFlags { ObjectFlags(rawValue: 1 << 8) }
  /// The row no longer exists in the store; values that had not been read are nil.
  package static let inaccessible = ObjectFlags(rawValue: 1 << 9)
  /// The object's delete rules were already applied or must not be applied, for example because the row is
  /// gone.
  package static let propagated = ObjectFlags(rawValue: 1 << 10)
  /// Changes are not recorded, because `awakeFromFetch` is running.
  package static let unrecorded = ObjectFlags(rawValue: 1 << 11)

  /// The object was inserted and then deleted without a save in between; it leaves the context after the
  /// event is reported.
  package static let discarded = ObjectFlags(rawValue: 1 << 12)

  /// A property of this object has an observer.
  @inlinable package static var observed: ObjectFlags { ObjectFlags(rawValue: 1 << 13) }
  /// Reads and writes of this object are reported to Swift's Observation.
  @inlinable package static var tracked: ObjectFlags { ObjectFlags(rawValue: 1 << 14) }

  /// Each read or write of this object checks that it runs on the context's queue.
  @inlinable package static var confined: ObjectFlags { ObjectFlags(rawValue: 1 << 15) }

  /// Marks the objects that a running compaction of an `UnsavedGroup` has already kept.
  package static let placed = ObjectFlags(rawValue: 1 << 16)

  /// The flags that prevent an accessor from reading the row directly.
  @inlinable package static var slowAccess: ObjectFlags {
    ObjectFlags(rawValue: 1 << 7 | 1 << 8 | 1 << 14 | 1 << 15)
  }
  /// The flags that prevent an accessor from writing to the row directly.
  @inlinable package static var slowWrite: ObjectFlags {
    ObjectFlags(rawValue: 1 << 8 | 1 << 13 | 1 << 14 | 1 << 15)
  }
  /// The flags of objects whose accessors report to an observer or check the queue.
  @inlinable package static var watched: ObjectFlags {
    ObjectFlags(rawValue: 1 << 13 | 1 << 14 | 1 << 15)
  }
  package static let unsaved: ObjectFlags = [.inserted, .updated, .deleted]
  package static let inEvent: ObjectFlags = [
    .insertedInEvent, .updatedInEvent, .deletedInEvent, .refreshedInEvent,
  ]
}
