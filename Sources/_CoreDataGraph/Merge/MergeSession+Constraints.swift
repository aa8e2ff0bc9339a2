// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension MergeSession {
  /// Resolves the conflict of two objects with equal constrained values.
  ///
  /// - If `object` is inserted, the members of its to-manys are moved to `survivor`, and `object` is deleted.
  ///   If the rule prefers the context's values, the attribute values and to-ones of `object` are moved too.
  /// - If both objects are stored and the rule prefers the context's values, `survivor` is deleted.
  /// - If both objects are stored and the rule prefers the store's values, `object` gets back its stored
  ///   attribute values: under `storeTrump` only those of the constrained attributes, under `rollback` all of
  ///   them.
  package func fold(
    _ object: GraphObject,
    into survivor: GraphObject,
    _ constraint: [String],
    by rule: MergeRule
  ) {
    graph.capture(object)
    graph.realize(survivor)
    graph.capture(survivor)
    let objectWins = rule == .objectTrump || rule == .overwrite
    if object.flags.contains(.inserted) {
      moveAttributes(of: object, to: survivor, by: rule)
      moveRelationships(of: object, to: survivor, objectWins: objectWins, rule)
      redirectReferences(from: object, to: survivor)
      object.flags.insert(.propagated)
      graph.markDeleted(object)
    } else if objectWins {
      graph.delete(survivor)
    } else {
      revertAttributes(object, rule == .rollback ? nil : constraint)
    }
  }

  private func moveAttributes(
    of object: GraphObject,
    to survivor: GraphObject,
    by rule: MergeRule
  ) {
    guard rule == .objectTrump || rule == .overwrite, let chunk = object.chunk else { return }
    // Under `objectTrump`, only values that were set explicitly are moved; default values and nil are not.
    var explicit = graph.changedSlots(object)
    explicit.formUnion(object.detail?.untracked ?? SlotSet())
    for property in shared(object, survivor) where property.attribute != nil {
      if rule == .objectTrump && !explicit.contains(property.slot) { continue }
      let place = graph.willWrite(survivor, slot: property.slot)
      place.chunk.copySlot(property.slot, to: place.row, from: chunk, object.rowIndex)
      survivor.detailCreatingIfNeeded.objects[property.slot] = object.detail?.objects[property.slot]
    }
  }

  private func moveRelationships(
    of object: GraphObject,
    to survivor: GraphObject,
    objectWins: Bool,
    _ rule: MergeRule
  ) {
    for property in shared(object, survivor) {
      let slot = property.slot
      if property.isToMany {
        for key in graph.memberKeys(object, slot: slot) {
          let member = graph.object(for: key)
          graph.remove(member, from: object, slot: slot)
          if member !== survivor { graph.insert(member, into: survivor, slot: slot) }
        }
      } else if property.isToOne {
        let destination = graph.reference(object, slot: slot).map { graph.object(for: $0) }
        graph.setReference(object, slot: slot, to: nil)
        guard objectWins, destination != nil || rule == .overwrite, destination !== survivor else {
          continue
        }
        graph.setReference(survivor, slot: slot, to: destination)
      }
    }
  }

  /// Returns the properties that both objects have in common, in the order of their slots.
  private func shared(_ object: GraphObject, _ survivor: GraphObject) -> [PropertyDefinition] {
    zip(object.entityDefinition.properties, survivor.entityDefinition.properties)
      .prefix { $0.name == $1.name && $0.declaringEntity == $1.declaringEntity }.map(\.0)
  }

  /// Redirects to `survivor` the relationships that lead to `object` and have no inverse.
  ///
  /// Only the relationships of inserted and updated objects are searched.
  private func redirectReferences(from object: GraphObject, to survivor: GraphObject) {
    let old = object.key
    let new = survivor.key
    for holder in graph.inserted + graph.updated {
      for slot in holder.entityDefinition.toOneSlots {
        guard let chunk = holder.chunk, !chunk.isNull(holder.rowIndex, slot),
          chunk.key(holder.rowIndex, slot) == old
        else { continue }
        let place = graph.willWrite(holder, slot: slot)
        place.chunk.setKey(place.row, slot, new)
      }
      guard let detail = holder.detail else { continue }
      for position in detail.toManys.indices
      where detail.toManys[position]?.contains(old) == true {
        graph.capture(holder)
        detail.toManys[position]?.rekey { $0 == old ? new : $0 }
      }
    }
  }

  private func revertAttributes(_ object: GraphObject, _ names: [String]?) {
    guard let base = object.detail?.base else { return }
    for property in object.entityDefinition.properties where property.attribute != nil {
      if let names, !names.contains(property.name) { continue }
      let place = graph.willWrite(object, slot: property.slot)
      place.chunk.copySlot(property.slot, to: place.row, from: base.chunk, base.row)
      object.detail?.objects[property.slot] = nil
    }
  }
}
