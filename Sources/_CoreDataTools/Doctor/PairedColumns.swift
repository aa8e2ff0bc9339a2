// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// The columns of a one-to-one relationship and its inverse, and SQL conditions on their values.
///
/// In the conditions, `t` is the row with the relationship, and `d` is its destination. The claimants of a
/// destination are the rows whose relationship refers to it.
struct PairedColumns {
  let destination: EntityDefinition
  /// The inverse's slot in the destination.
  let slot: Int
  let other: String
  /// The columns of the relationship, which are cleared together: the key and, if there is one, the entity
  /// column.
  let columns: [String]
  /// A condition on `t`: the destination's inverse refers to another row, or is nil although the destination
  /// has other claimants.
  let contradicted: String
  /// A condition on `t`: the destination's inverse is nil, and `t` is the only claimant.
  let oneSided: String
  /// The SQL assignments on `d` that set the inverse to the claimant with the lowest key.
  let completed: String
  /// A condition on `d`: the inverse is nil, and there are several claimants.
  let incomplete: String
  /// A condition on `d`: the inverse is nil, and there is exactly one claimant.
  let unreciprocated: String

  /// Fails unless the relationship and its inverse are persistent to-ones.
  init?(_ property: PropertyDefinition, _ entity: EntityDefinition, _ doctor: Doctor) {
    let layout = doctor.layout
    guard let relationship = property.relationship, let slot = relationship.inverse,
      let column = layout.entities[entity.index].column(property.slot)
    else { return nil }
    let destination = doctor.model.entities[relationship.destination]
    guard destination.properties[slot].isToOne,
      let back = layout.entities[destination.index].column(slot)
    else { return nil }
    self.destination = destination
    self.slot = slot
    other = layout.entities[destination.index].table
    columns = [column.name, column.entityColumn].compactMap { $0 }
    let table = layout.entities[entity.index].table
    let target =
      "FROM \(other) AS d WHERE d.Z_PK = t.\(column.name) AND \(doctor.isFamily(destination, "d"))"
    let rival =
      "EXISTS (SELECT 1 FROM \(table) AS o WHERE o.\(column.name) = t.\(column.name) "
      + "AND o.Z_PK <> t.Z_PK AND \(doctor.isFamily(entity, "o")))"
    contradicted =
      "t.\(column.name) IS NOT NULL AND EXISTS (SELECT 1 \(target) AND d.\(back.name) IS NOT t.Z_PK "
      + "AND (d.\(back.name) IS NOT NULL OR \(rival)))"
    oneSided =
      "t.\(column.name) IS NOT NULL AND EXISTS (SELECT 1 \(target) AND d.\(back.name) IS NULL) "
      + "AND NOT \(rival)"
    let claims =
      "FROM \(table) AS t WHERE t.\(column.name) = d.Z_PK AND \(doctor.isFamily(entity, "t"))"
    let claimant = "(SELECT MIN(t.Z_PK) \(claims))"
    var completed = "\(back.name) = \(claimant)"
    if let companion = back.entityColumn {
      completed +=
        ", \(companion) = (SELECT c.Z_ENT FROM \(table) AS c WHERE c.Z_PK = \(claimant))"
    }
    self.completed = completed
    let isNil = "d.\(back.name) IS NULL AND \(doctor.isFamily(destination, "d"))"
    incomplete = "\(isNil) AND (SELECT COUNT(*) \(claims)) > 1"
    unreciprocated = "\(isNil) AND (SELECT COUNT(*) \(claims)) = 1"
  }
}
