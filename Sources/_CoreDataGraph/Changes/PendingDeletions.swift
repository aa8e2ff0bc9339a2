// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// What a graph must remember about deletions until they are saved or reverted.
struct PendingDeletions {
  /// Deleted objects whose delete rules are not applied yet; may also contain objects that are no longer
  /// deleted.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while the relationships that lead to them are unknown.
  var lostKeys: Set<ObjectKey> = []
  /// Deleted object → the to-manys that were read after the deletion, and that contain the object in the
  /// store but not here.
  var leftOut: [ObjectIdentifier: Set<ToManyPlace>] = [:]
  /// To-many in `leftOut` → its members in their order, including the deleted members.
  var formerMembers: [ToManyPlace: [ObjectKey]] = [:]

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
