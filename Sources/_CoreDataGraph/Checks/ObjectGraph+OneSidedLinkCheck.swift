// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The check that both sides of each link agree.
///
/// A deletion finds the links to an object through the object's own relationships, so it would miss a link
/// that only the other side has.
extension ObjectGraph {
  /// Returns one line for each loaded link for which the destination's inverse is loaded but does not lead
  /// back.
  ///
  /// Relationships without an inverse, and relationships whose inverse has the delete rule deny or no action,
  /// are left out. The result is meaningful only after all saves of other contexts have been merged.
  /// - Complexity: O(loaded links). For tests.
  package func oneSidedLinks() -> [String] {
    var found: [String] = []
    for object in registry.objects where object.flags.isDisjoint(with: [.deleted, .inaccessible]) {
      let entity = object.entityDefinition
      for slot in model.linkSlots.followed[object.key.entity] {
        guard let inverse = inverseSlot(object, slot) else { continue }
        for key in loadedDestinations(of: object, slot: slot) {
          guard let other = registry.object(for: key), lacks(other, inverse, object.key) else {
            continue
          }
          found.append(
            "\(entity.properties[slot].name) of \(entity.name) \(object.key) leads to \(key), but"
              + " \(other.entityDefinition.properties[inverse].name) of \(key) does not lead back"
          )
        }
      }
    }
    return found
  }

  /// Returns whether a relationship of `owner` is loaded but does not lead to the key; false for a deleted
  /// owner.
  private func lacks(_ owner: GraphObject, _ slot: Int, _ key: ObjectKey) -> Bool {
    guard owner.flags.isDisjoint(with: [.deleted, .inaccessible]) else { return false }
    if owner.entityDefinition.properties[slot].isToMany {
      guard var state = owner.detail?.toManys[toManyPosition(owner, slot)], state.isLoaded else {
        return false
      }
      return !state.contains(key)
    }
    return owner.chunk != nil && !loadedDestinations(of: owner, slot: slot).contains(key)
  }
}
