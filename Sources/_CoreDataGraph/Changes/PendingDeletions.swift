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

  /// Maps an object whose deletion is saved to the to-manys from which it was left out at the save.
  ///
  /// Undoing the deletion adds the object to them again. Empty if the graph does not record undo.
  private(set) var savedLeftOut: [ObjectIdentifier: [SavedPlace]] = [:]

  /// The number of deleted objects at which those that only the context retains are released; see
  /// `ObjectGraph.releaseMergedDeletions()`.
  var releaseLimit = Self.leastReleaseLimit

  static let leastReleaseLimit = 128

  /// Keeps the to-manys of deletions that are saved now, for an undo.
  mutating func keepLeftOut(of deleted: [GraphObject]) {
    if leftOut.isEmpty { return }
    for object in deleted {
      guard let places = leftOut[ObjectIdentifier(object)] else { continue }
      savedLeftOut[ObjectIdentifier(object)] = places.map {
        SavedPlace(object: object, place: $0, former: formerMembers[$0] ?? [])
      }
    }
  }

  /// Returns the to-manys that were kept for the object, and keeps them no longer.
  mutating func takeSavedPlaces(of object: GraphObject) -> [SavedPlace] {
    savedLeftOut.removeValue(forKey: ObjectIdentifier(object)) ?? []
  }

  mutating func forgetSavedLeftOut() { savedLeftOut = [:] }

  mutating func forgetLeftOut() {
    if formerMembers.isEmpty { return }
    leftOut = [:]
    formerMembers = [:]
  }
}

/// A to-many from which an object was left out when the object's deletion was saved.
struct SavedPlace {
  /// Retained, so that no other object gets its identity.
  let object: GraphObject
  let place: ToManyPlace
  /// The members in their order, including the deleted object.
  let former: [ObjectKey]
}

struct ToManyPlace: Hashable {
  let owner: GraphObject
  let slot: Int

  init(_ owner: GraphObject, _ slot: Int) { (self.owner, self.slot) = (owner, slot) }
}
