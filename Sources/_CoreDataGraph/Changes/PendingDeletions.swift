// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Deletions whose effects on other objects are still pending.
struct PendingDeletions {
  /// Deleted objects whose delete rules were not applied yet; may contain objects that are not deleted any
  /// more.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while the relationships that lead to them are unknown.
  var lostKeys: Set<ObjectKey> = []
  /// Deleted object → the to-manys that were read after the deletion, and of which the object is a member in
  /// the store but not here.
  var leftOut: [ObjectIdentifier: Set<ToManyPlace>] = [:]
  /// The members of those to-manys in their order, the deleted ones included.
  var formerMembers: [ToManyPlace: [ObjectKey]] = [:]

  /// Forgets what was left out, once the deletions are saved or rolled back.
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
