// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

extension ObjectGraph {
  /// Records the deletion; destinations follow when pending changes are processed.
  ///
  /// A new object is forgotten; a deleted one is prepared again and otherwise left alone.
  package func delete(_ object: GraphObject) {
    host.willDelete(object)
    if object.flags.contains(.deleted) { return }
    // Relationships must be readable when the deletion is propagated.
    realize(object)
    markDeleted(object)
    unpropagated.append(object)
  }

  /// Applies the delete rules of everything deleted since the last time, cascades included.
  ///
  /// - Complexity: one statement for each to-many that was not loaded.
  package func propagateDeletions() {
    while let object = unpropagated.popLast() {
      guard object.flags.contains(.deleted), !object.flags.contains(.propagated) else { continue }
      object.flags.insert(.propagated)
      for property in object.entityDefinition.properties {
        guard let relationship = property.relationship else { continue }
        propagate(object, property.slot, relationship)
      }
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
  package func denials(of object: GraphObject) -> [PropertyDefinition] {
    object.entityDefinition.properties.filter { property in
      property.relationship?.deleteRule == .deny
        && destinations(of: object, slot: property.slot).contains { !$0.flags.contains(.deleted) }
    }
  }
}
