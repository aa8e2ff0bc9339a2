// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Keeps both sides of restored links consistent.
///
/// A step contains the former values of both sides. If a merge has moved an object to another to-many after
/// the step was made, the step does not contain that to-many, so it is corrected to agree with the object's
/// to-one.
extension ObjectGraph {
  /// A to-one that undoing may restore, and its destination before the undo.
  struct RestoredReference {
    let object: GraphObject
    let slot: Int
    let former: ObjectKey?
  }

  /// Returns the to-ones with an inverse that undoing the step may restore; must be called before the undo.
  func referencesToRestore(by step: UndoStep) -> [RestoredReference] {
    step.entries.flatMap { entry -> [RestoredReference] in
      if entry.kind == .arrival { return [] }
      let object = entry.image.object
      let isHere = object.registry === registry
      if entry.kind == .update, !isHere || object.flags.contains(.deleted) { return [] }
      return object.entityDefinition.toOneSlots.compactMap { slot in
        guard inverseKind(object, slot) != .nothing,
          entry.kind == .departure || entry.slots.contains(slot)
        else { return nil }
        if entry.kind == .update { realize(object) }
        let place = isHere ? object.chunk.map { (chunk: $0, row: object.rowIndex) } : nil
        let former = place.flatMap { key($0, slot) }
        return RestoredReference(object: object, slot: slot, former: former)
      }
    }
  }

  /// Makes the inverses at the former and current destinations agree with the to-ones.
  func reconcileInverses(of references: [RestoredReference]) {
    for restored in references {
      let (object, slot) = (restored.object, restored.slot)
      guard object.registry === registry, !object.flags.contains(.deleted),
        let inverse = inverseSlot(object, slot)
      else { continue }
      let new = reference(object, slot: slot)
      for key in Set([restored.former, new].compactMap { $0 }) {
        let other = self.object(for: key)
        let refersBack = refersBack(other, inverse, to: object, slot)
        if other.flags.contains(.deleted) || refersBack == (key == new) { continue }
        if key == new {
          attachInverse(of: other, slot: inverse, to: object, by: slot)
        } else {
          detachInverse(of: other, slot: inverse, from: object)
        }
      }
    }
  }

  /// Returns whether the inverse leads to the object, without loading members.
  private func refersBack(
    _ other: GraphObject,
    _ inverse: Int,
    to object: GraphObject,
    _ slot: Int
  ) -> Bool {
    guard other.entityDefinition.properties[inverse].isToMany else {
      return reference(other, slot: inverse) == object.key
    }
    let state = other.detail?.toManys[toManyPosition(other, inverse)]
    if let state, state.isLoaded || state.added.contains(object.key) {
      return leads(other, inverse, to: object.key)
    }
    if state?.removed.contains(object.key) == true { return false }
    return committedRow(object).flatMap { key($0, slot) } == other.key
  }

  /// Removes the members that undoing has added to the object's to-manys although the members' to-ones do not
  /// lead to the object.
  ///
  /// - Complexity: O(members), and one load of rows for each to-many with members that are faults without
  ///   rows.
  func removeMembersOfOthers(_ entry: UndoStep.Entry) {
    let owner = entry.image.object
    guard owner.registry === registry, !owner.flags.contains(.deleted) else { return }
    for change in entry.members where inverseKind(owner, change.slot) == .reference {
      guard let inverse = inverseSlot(owner, change.slot) else { continue }
      let former = entry.kind == .departure ? change.former ?? [] : []
      let members = (change.removed + former).map(current).compactMap(registry.object(for:))
      // If this load fails, each fault reads its own row below.
      try? realizeFaults(members.filter(\.isRowless))
      for member in members
      where !member.flags.contains(.deleted) && leads(owner, change.slot, to: member.key)
        && reference(member, slot: inverse) != owner.key
      {
        removeMember(owner, slot: change.slot, member.key)
      }
    }
  }
}
