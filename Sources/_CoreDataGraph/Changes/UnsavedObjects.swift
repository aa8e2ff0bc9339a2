// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The objects with unsaved changes of one context, in three groups.
///
/// An object is in at most one group. Only this type and the callers of `replace(inserted:updated:deleted:)`
/// change the flags `inserted`, `updated` and `deleted`, so that the counts of the groups are correct.
package struct UnsavedObjects {
  private var new = UnsavedGroup(.inserted)
  private var changed = UnsavedGroup(.updated)
  private var gone = UnsavedGroup(.deleted, except: .discarded)

  package init() {}

  /// Whether no object has unsaved changes.
  ///
  /// - Complexity: O(1).
  package var isEmpty: Bool { new.isEmpty && changed.isEmpty && gone.isEmpty }

  /// The number of unsaved deletions.
  ///
  /// - Complexity: O(1).
  var deletedCount: Int { gone.count }

  /// Whether any object has an unsaved deletion.
  ///
  /// - Complexity: O(1).
  package var hasDeleted: Bool { !gone.isEmpty }

  /// New objects, in the order of their insertion.
  ///
  /// - Complexity: that of `UnsavedGroup.objects`; the same is true of the other two groups.
  package var inserted: [GraphObject] { mutating get { new.objects } }
  /// Stored objects with changes, in the order of their first change.
  package var updated: [GraphObject] { mutating get { changed.objects } }
  /// Deleted objects, in the order of their deletion, except inserted objects that were deleted.
  ///
  /// An inserted object that was deleted is in no group, because a save has nothing to write for it.
  package var deleted: [GraphObject] { mutating get { gone.objects } }

  /// The number of entries visited in all three groups; see `UnsavedGroup.visits`.
  ///
  /// Tests compare it with the number of changes.
  package var visits: Int { new.visits + changed.visits + gone.visits }

  package mutating func insert(_ object: GraphObject) { new.add(object) }

  package mutating func update(_ object: GraphObject) { changed.add(object) }

  /// Moves an object to the deleted objects; an inserted object leaves its group and is marked as deleted and
  /// discarded instead.
  package mutating func delete(_ object: GraphObject) {
    if object.flags.contains(.inserted) {
      new.remove(object)
      changed.remove(object)
      object.flags.insert([.discarded, .deleted])
    } else {
      changed.remove(object)
      gone.add(object)
    }
  }

  /// Stops retaining deleted objects; see `UnsavedGroup.release(where:living:)`.
  mutating func releaseDeleted(
    where isReleased: (GraphObject) -> Bool,
    living: (ObjectKey) -> GraphObject?
  ) -> Int {
    gone.release(where: isReleased, living: living)
  }

  /// Removes an object from its group and clears its flags `inserted`, `updated` and `deleted`.
  ///
  /// - Complexity: O(1) on average.
  package mutating func remove(_ object: GraphObject) {
    if object.flags.isDisjoint(with: .unsaved) { return }
    new.remove(object)
    changed.remove(object)
    gone.remove(object)
    object.flags.subtract(.unsaved)
  }

  /// Replaces the objects of all groups; the new objects must already have the flags of their groups.
  package mutating func replace(
    inserted: [GraphObject],
    updated: [GraphObject],
    deleted: [GraphObject]
  ) {
    new.replace(with: inserted)
    changed.replace(with: updated)
    gone.replace(with: deleted)
  }

  /// Empties the groups and clears the flags `inserted`, `updated` and `deleted` of their objects; deleted
  /// objects also lose the flag `propagated`.
  package mutating func removeAll() {
    new.removeAll(clearing: .unsaved)
    changed.removeAll(clearing: .unsaved)
    gone.removeAll(clearing: [.inserted, .updated, .deleted, .propagated])
  }
}
