// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// The columns of a to-one and of the to-one that is its inverse, and the conditions on them.
///
/// Rows with the to-one are `t`, rows that it leads to `d`.
struct PairedColumns {
  let destination: EntityDefinition
  /// The inverse's slot in the destination.
  let slot: Int
  /// The destination's table.
  let other: String
  /// What has to be nil where the to-one is.
  let columns: [String]
  /// The to-one leads to an object whose inverse leads elsewhere, or is nil and has several claimants.
  let contradicted: String
  /// The to-one leads to an object whose inverse is nil, and no other object leads there.
  let oneSided: String
  /// Settings that make the inverse lead to the claimant with the lowest key.
  let completed: String
  /// The inverse is nil and has several claimants.
  let incomplete: String
  /// The inverse is nil and has one claimant.
  let unanswered: String

  /// Nil unless both sides are stored to-ones.
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
    unanswered = "\(isNil) AND (SELECT COUNT(*) \(claims)) = 1"
  }
}
