// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// New objects that may become one with a stored row in the statement that inserts them, so that a save
/// that meets rows with equal unique values needs no second attempt.
extension ObjectGraph {
  /// Adds to a save to one store what its inserts do where a row has their unique values already.
  ///
  /// Only objects without relationships, of entities alone in their hierarchy of which nothing else is
  /// changed or deleted: what happens to them is the same as what `fold(_:into:_:by:)` does. Others fail
  /// the save, whose conflicts are then resolved one by one. Nothing for `overwrite`, which may have to
  /// remove relationships.
  /// - Complexity: the number of unsaved objects.
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

  /// Whether no other entity shares the table, and no relationship without inverse leads here.
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

  /// The persistent attributes that were set explicitly; attributes that still have their default value are left out.
  private func explicitSlots(of object: GraphObject) -> SlotSet {
    var slots = changedSlots(object)
    slots.formUnion(object.detail?.untracked ?? SlotSet())
    var explicit = SlotSet()
    for slot in slots where object.entityDefinition.properties[slot].isStored {
      explicit.insert(slot)
    }
    return explicit
  }

  /// New objects that are rows of others now leave the context, as folded ones do.
  package func dropFolded(_ objects: [GraphObject]) {
    for object in objects {
      object.flags.insert(.propagated)
      markDeleted(object)
    }
  }
}
