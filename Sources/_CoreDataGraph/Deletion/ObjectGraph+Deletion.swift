// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension ObjectGraph {
  /// Marks the object as deleted; its delete rules are applied when pending changes are processed.
  ///
  /// An inserted object leaves the context after the event. For an object that is already deleted, only
  /// `prepareForDeletion` is called again.
  package func delete(_ object: GraphObject) {
    host.willDelete(object)
    if object.flags.contains(.deleted) { return }
    markDeleted(object)
    deletions.unpropagated.append(object)
  }

  /// The error because of which some delete rules could not be applied; nil if there was none.
  ///
  /// The objects are deleted, and the next call of `propagateDeletions()` applies their rules.
  package var deletionFailure: (any Error)? { deletions.failure }

  /// Applies the delete rules of the objects that were deleted since the last call, including cascades.
  ///
  /// Sets `deletionFailure` if rows cannot be read.
  /// - Returns: the finished wave.
  /// - Complexity: O(deleted objects and their destinations). In each step of a cascade, the rows and members
  ///   of all objects are read together.
  @discardableResult
  package func propagateDeletions() -> DeletionWave {
    var wave = DeletionWave(self)
    wave.run()
    return wave
  }

  /// Removes an object from the inverse of one of its relationships, because the object's row is gone.
  ///
  /// A to-one inverse is cleared only for unsaved links, because the store has already cleared the inverse of
  /// stored links. If the delete rule is cascade, destinations of unsaved links are deleted. Does nothing if
  /// the delete rule is no action.
  func dropUnsavedLinks(of object: GraphObject, slot: Int) {
    guard let detail = object.detail,
      let relationship = object.entityDefinition.properties[slot].relationship,
      relationship.deleteRule != .noAction
    else { return }
    let links = unsavedLinks(of: object, slot, detail)
    for key in links.former {
      setMembership(of: object, slot, at: key, isStored: false, isCurrent: false)
    }
    for key in links.new {
      let destination = self.object(for: key)
      if destination.flags.contains(.deleted) { continue }
      if relationship.deleteRule == .cascade { delete(destination) }
      setMembership(of: object, slot, at: key, isStored: false, isCurrent: false)
      if let inverse = relationship.inverse, inverseKind(object, slot) == .reference,
        reference(destination, slot: inverse) == object.key
      {
        writeInverse(destination, inverse, nil)
      }
    }
  }

  /// Returns the destinations of unsaved links (`new`), and the destinations of other links that are or were
  /// stored (`former`).
  private func unsavedLinks(
    of object: GraphObject,
    _ slot: Int,
    _ detail: ObjectDetail
  ) -> (new: [ObjectKey], former: [ObjectKey]) {
    if object.entityDefinition.properties[slot].isToMany {
      guard var state = detail.toManys[toManyPosition(object, slot)] else { return ([], []) }
      let stored = state.stored ?? []
      // `former` includes all stored links, because a destination whose stored members are not loaded may
      // have recorded a stored link as added.
      return (
        state.added.sorted { $0.raw < $1.raw },
        state.removed.union(stored).sorted { $0.raw < $1.raw }
      )
    }
    guard let base = detail.base, detail.changed.contains(slot) else { return ([], []) }
    let stored = key(base, slot)
    let current = reference(object, slot: slot)
    if stored == current { return ([], []) }
    return ([current].compactMap { $0 }, [stored].compactMap { $0 })
  }

  /// Returns the destinations of a relationship; a destination that is not registered becomes a fault.
  package func destinations(of object: GraphObject, slot: Int) -> [GraphObject] {
    if object.entityDefinition.properties[slot].isToMany {
      return memberKeys(object, slot: slot).map { self.object(for: $0) }
    }
    return reference(object, slot: slot).map { [self.object(for: $0)] } ?? []
  }

  /// Returns the relationships with the delete rule deny that have a destination which is not deleted.
  ///
  /// A fault with a temporary key and without a row does not count as a destination. The result is empty if
  /// the object's own row no longer exists.
  package func denials(of object: GraphObject) -> [PropertyDefinition] {
    let entity = object.entityDefinition
    if entity.denyingSlots.isEmpty || object.flags.contains(.inaccessible) { return [] }
    return entity.denyingSlots.filter { slot in
      destinations(of: object, slot: slot).contains {
        !$0.flags.contains(.deleted) && !hasNoRow($0)
      }
    }.map { entity.properties[$0] }
  }

  /// Returns whether the object was inserted and deleted before a save, so that its temporary key has no row.
  private func hasNoRow(_ object: GraphObject) -> Bool {
    guard object.key.isTemporary, object.flags.contains(.fault) else { return false }
    return readRows([object.key]).keys.isEmpty
  }
}
