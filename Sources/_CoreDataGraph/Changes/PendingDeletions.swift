// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The effects that unsaved deletions still have on other objects.
struct PendingDeletions {
  /// Deleted objects whose delete rules are not applied yet; may also contain objects that are no longer
  /// deleted.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while the relationships that lead to them are unknown.
  var lostKeys: Set<ObjectKey> = []
  /// Deleted object → the to-manys that were read after the deletion, and of which the object is a member in
  /// the store but not here.
  var leftOut: [ObjectIdentifier: Set<ToManyPlace>] = [:]
  /// To-many in `leftOut` → its members in their order, including the deleted members.
  var formerMembers: [ToManyPlace: [ObjectKey]] = [:]

  /// Empties `leftOut` and `formerMembers`.
  mutating func forgetLeftOut() {
    if formerMembers.isEmpty { return }
    leftOut = [:]
    formerMembers = [:]
  }
}

/// One to-many of one object.
struct ToManyPlace: Hashable {
  let owner: GraphObject
  let slot: Int

  init(_ owner: GraphObject, _ slot: Int) { (self.owner, self.slot) = (owner, slot) }
}
