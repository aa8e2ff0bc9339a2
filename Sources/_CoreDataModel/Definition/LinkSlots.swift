// SPDX-License-Identifier: Apache-2.0

/// The slots of the persistent relationships from which a context removes a deleted object.
package struct LinkSlots: Sendable {
  /// By entity index, the slots of the relationships whose inverse has the delete rule nullify or cascade.
  package let followed: [[Int]]
  /// By entity index, the slots of the relationships without an inverse.
  package let oneWay: [[Int]]

  init(_ entities: [EntityDefinition]) {
    followed = entities.map { entity in
      entity.properties.filter { property in
        guard let relationship = property.relationship, !property.isTransient,
          let inverse = relationship.inverse
        else { return false }
        let back = entities[relationship.destination].properties[inverse].relationship
        return back?.deleteRule == .nullify || back?.deleteRule == .cascade
      }.map(\.slot)
    }
    oneWay = entities.map { entity in
      entity.properties.filter {
        $0.relationship != nil && $0.relationship?.inverse == nil && !$0.isTransient
      }.map(\.slot)
    }
  }
}
