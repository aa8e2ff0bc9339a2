// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// Folding of inserted objects: a statement that inserts an object may instead combine it with a stored row
/// that has equal unique values, so that the save needs no second attempt.
extension ObjectGraph {
  /// Adds a fold to each insert that the store may combine with a row of the same unique values.
  ///
  /// A fold is added only if its result is the same as that of `MergeSession.fold(_:into:_:by:)`. The object
  /// must have no related objects. Its entity must be alone in its hierarchy, must not be the destination of
  /// a relationship without an inverse, and must have no updated or deleted objects. If an insert without a
  /// fold repeats the unique values of a row, the save fails, and the conflicts are resolved one by one.
  ///
  /// Does nothing for `overwrite`, which may have to remove links of the stored row, and for a save to
  /// several stores.
  /// - Complexity: O(unsaved objects).
  package func planFolds(_ plan: inout SavePlan, by rule: MergeRule) {
    guard rule != .overwrite, !constraints.isEmpty, plan.batches.count == 1,
      let store = plan.batches.stores.first, let objects = plan.inserted[store]
    else { return }
    let changed = Set((updated + deleted).map(\.key.entity))
    var isSuitable: [Int: Bool] = [:]
    for (index, object) in objects.enumerated() {
      let entity = object.key.entity
      let suits = isSuitable[entity] ?? (!changed.contains(entity) && foldsRows(entity))
      isSuitable[entity] = suits
      guard suits, object.key.isTemporary, !hasDestinations(object) else { continue }
      plan.batches[store, default: SaveBatch()].folds[index] =
        rule == .objectTrump ? .write(explicitSlots(of: object)) : .keep
    }
  }

  /// Whether the model has uniqueness constraints; without them, `planFolds(_:by:)` does nothing.
  package var hasConstraints: Bool { !constraints.isEmpty }

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

  /// Deletes inserted objects that the save has combined with stored rows, so that they leave the context.
  package func dropFolded(_ objects: [GraphObject]) {
    for object in objects {
      object.flags.insert(.propagated)
      markDeleted(object)
    }
  }
}
