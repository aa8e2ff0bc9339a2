// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Deletions whose effect on other objects is still to come.
struct PendingDeletions {
  /// Deleted objects whose delete rules have not been applied, and some that are not deleted any more.
  var unpropagated: [GraphObject] = []
  /// Keys whose rows are gone while it is not known which relationships lead to them.
  var lost: Set<ObjectKey> = []
  /// Deleted object → the to-manys that were read after the deletion and do not have it as a member,
  /// although the store has.
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
