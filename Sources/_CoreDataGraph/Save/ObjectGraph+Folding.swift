// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Folding of inserted objects: a statement that inserts an object may instead combine it with a stored row
/// of equal unique values, so that the save needs no second attempt.
extension ObjectGraph {
  /// Adds a fold to each insert that may be combined with a row that already has the same unique values.
  ///
  /// Considers only objects for which the result is the same as that of `MergeSession.fold(_:into:_:by:)`.
  /// Such an object has no related objects. Its entity is alone in its hierarchy, is not the destination of a
  /// relationship without an inverse, and has no updated or deleted objects. If other objects have unique
  /// values that a row already has, the save fails, and the conflicts are resolved one by one. Does nothing
  /// for `overwrite`, which may have to remove relationships, and for a save to several stores.
  /// - Complexity: O(unsaved objects).
  package func planFolds(_ plan: inout SavePlan, by rule: MergeRule) {
    guard rule != .overwrite, !constraints.isEmpty, plan.batches.count == 1,
      let store = plan.batches.keys.first, let objects = plan.inserted[store]
    else { return }
    let changed = Set((updated + deleted).map(\.key.entity))
    var isSuitable: [Int: Bool] = [:]
    for (index, object) in objects.enumerated() {
      let entity = object.key.entity
      let suits = isSuitable[entity] ?? (!changed.contains(entity) && foldsRows(entity))
      isSuitable[entity] = suits
      guard suits, object.key.isTemporary, !hasDestinations(object) else { continue }
      plan.batches[store]?.folds[index] =
        rule == .objectTrump ? .write(explicitSlots(of: object)) : .keep
    }
  }

  /// Returns whether the entity has constraints and is alone in its hierarchy, and no relationship without an
  /// inverse leads to it.
  private func foldsRows(_ entity: Int) -> Bool {
    let definition = model.entities[entity]
    guard !constraints.byEntity[entity].isEmpty, definition.family.count == 1,
      definition.root == entity
    else { return false }
    return model.entities.allSatisfy { other in
      other.properties.allSatisfy {
        $0.relationship.map { $0.destination != entity || $0.inverse != nil } ?? true
      }
    }
  }

  private func hasDestinations(_ object: GraphObject) -> Bool {
    guard let chunk = object.chunk else { return true }
    let definition = object.entityDefinition
    if definition.toOneSlots.contains(where: { !chunk.isNull(object.rowIndex, $0) }) { return true }
    guard let toManys = object.detail?.toManys else { return false }
    return toManys.indices.contains { toManys[$0]?.hasChanges == true }
  }

  private func explicitSlots(of object: GraphObject) -> SlotSet {
    var slots = changedSlots(object)
    slots.formUnion(object.detail?.untracked ?? SlotSet())
    var explicit = SlotSet()
    for slot in slots where object.entityDefinition.properties[slot].isStored {
      explicit.insert(slot)
    }
    return explicit
  }

  /// Deletes inserted objects that the save has combined with other rows, so that they leave the context.
  package func dropFolded(_ objects: [GraphObject]) {
    for object in objects {
      object.flags.insert(.propagated)
      markDeleted(object)
    }
  }
}
