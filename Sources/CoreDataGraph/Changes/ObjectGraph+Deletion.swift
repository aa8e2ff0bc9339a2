// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

extension ObjectGraph {
  /// Records the deletion; destinations follow when pending changes are processed.
  ///
  /// A new object is forgotten; a deleted one is prepared again and otherwise left alone.
  package func delete(_ object: GraphObject) {
    host.willDelete(object)
    if object.flags.contains(.deleted) { return }
    markDeleted(object)
    unpropagated.append(object)
  }

  /// Applies the delete rules of everything deleted since the last time, cascades included.
  ///
  /// - Complexity: for each step of a cascade one statement for each to-many property and one for the
  ///   rows of each hierarchy, however many objects.
  package func propagateDeletions() {
    while !unpropagated.isEmpty {
      let round = unpropagated.filter {
        $0.flags.contains(.deleted) && !$0.flags.contains(.propagated)
      }
      unpropagated = []
      // Rows stay at hand for as long as their objects live.
      withExtendedLifetime(loadDestinations(of: round)) {
        for object in round { propagate(object) }
      }
    }
  }

  private func propagate(_ object: GraphObject) {
    if object.flags.contains(.propagated) { return }
    object.flags.insert(.propagated)
    let entity = object.entityDefinition
    for slot in entity.deletionSlots {
      guard let relationship = entity.properties[slot].relationship else { continue }
      propagate(object, slot, relationship)
    }
  }

  private func propagate(_ object: GraphObject, _ slot: Int, _ relationship: RelationshipDefinition)
  {
    switch relationship.deleteRule {
    case .noAction, .deny: return
    case .nullify:
      guard relationship.inverse != nil else { return }
      for destination in destinations(of: object, slot: slot)
      where !destination.flags.contains(.deleted) {
        unlink(object, slot, relationship, destination)
      }
    case .cascade:
      for destination in destinations(of: object, slot: slot)
      where !destination.flags.contains(.deleted) {
        delete(destination)
      }
    }
  }

  /// Applies the delete rule to the links of unsaved changes, for an object whose row is gone: the store
  /// has applied it to those that it knew.
  func dropUnsavedLinks(of object: GraphObject, slot: Int) {
    guard let detail = object.detail, detail.changed.contains(slot),
      let relationship = object.entityDefinition.properties[slot].relationship,
      relationship.deleteRule != .noAction
    else { return }
    for destination in unsavedDestinations(of: object, slot, detail)
    where !destination.flags.contains(.deleted) {
      if relationship.deleteRule == .cascade {
        delete(destination)
      } else {
        settle(destination.key, object, slot, isStored: false, isCurrent: false)
        if let inverse = relationship.inverse, mirror(object, slot) == .reference,
          reference(destination, slot: inverse) == object.key
        {
          writeMirror(destination, inverse, nil)
        }
      }
    }
  }

  private func unsavedDestinations(
    of object: GraphObject,
    _ slot: Int,
    _ detail: ObjectDetail
  ) -> [GraphObject] {
    if object.entityDefinition.properties[slot].isToMany {
      let added = detail.toManys[toManyPosition(object, slot)]?.added ?? []
      return added.sorted { $0.raw < $1.raw }.map { self.object(for: $0) }
    }
    guard let base = detail.base, let key = reference(object, slot: slot),
      base.chunk.isNull(base.row, slot) || base.chunk.key(base.row, slot) != key
    else { return [] }
    return [self.object(for: key)]
  }

  private func unlink(
    _ object: GraphObject,
    _ slot: Int,
    _ relationship: RelationshipDefinition,
    _ destination: GraphObject
  ) {
    if relationship.isToMany {
      remove(destination, from: object, slot: slot)
    } else {
      setReference(object, slot: slot, to: nil)
    }
  }

  /// The objects at the other end, as faults where they are not registered.
  package func destinations(of object: GraphObject, slot: Int) -> [GraphObject] {
    if object.entityDefinition.properties[slot].isToMany {
      return memberKeys(object, slot: slot).map { self.object(for: $0) }
    }
    return reference(object, slot: slot).map { [self.object(for: $0)] } ?? []
  }

  /// Relationships with the rule deny that still have destinations which are not deleted too.
  ///
  /// None for an object whose row vanished.
  package func denials(of object: GraphObject) -> [PropertyDefinition] {
    let entity = object.entityDefinition
    if entity.denyingSlots.isEmpty || object.flags.contains(.inaccessible) { return [] }
    return entity.denyingSlots.filter { slot in
      destinations(of: object, slot: slot).contains {
        !$0.flags.contains(.deleted) && !isUnknown($0)
      }
    }.map { entity.properties[$0] }
  }

  /// Whether the object was new, and deleted before its save: it has left without a trace.
  private func isUnknown(_ object: GraphObject) -> Bool {
    guard object.key.isTemporary, object.flags.contains(.fault) else { return false }
    return readRows([object.key]).keys.isEmpty
  }
}
