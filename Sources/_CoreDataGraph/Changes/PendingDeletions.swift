// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The state that a graph keeps about deletions until they are saved or reverted.
struct PendingDeletions {
  /// Deleted objects whose delete rules are not applied yet; the array may also contain objects that are no
  /// longer deleted.
  var unpropagated: [GraphObject] = []
  /// The error because of which the delete rules of `unpropagated` could not be applied; nil if there was none.
  var failure: (any Error)?
  /// Lost keys: their rows are gone, and the relationships that lead to them are unknown.
  var lostKeys: Set<ObjectKey> = []
  /// Maps a deleted object to the to-manys from which it is left out.
  ///
  /// These to-manys were read after the deletion, and contain the object in the store.
  var leftOut: [ObjectIdentifier: Set<ToManyPlace>] = [:]
  /// Maps a to-many in `leftOut` to its members in their order, including the deleted members.
  var formerMembers: [ToManyPlace: [ObjectKey]] = [:]

  /// The number of deleted objects at which those that only the context retains are released; see
  /// `ObjectGraph.releaseMergedDeletions()`.
  var releaseLimit = Self.leastReleaseLimit

  static let leastReleaseLimit = 128

  mutating func forgetLeftOut() {
    if formerMembers.isEmpty { return }
    leftOut = [:]
    formerMembers = [:]
  }
}

struct ToManyPlace: Hashable {
  let owner: GraphObject
  let slot: Int

  init(_ owner: GraphObject, _ slot: Int) { (self.owner, self.slot) = (owner, slot) }
}
