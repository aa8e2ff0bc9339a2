// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataSQL
import CoreDataSQLite

extension Doctor {
  /// A to-one whose object is missing, or of an entity that it cannot lead to.
  func dangling(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    guard let column = layout.entities[entity.index].column(property.slot),
      let relationship = property.relationship
    else { return [] }
    let destination = model.entities[relationship.destination]
    let condition =
      "t.\(column.name) IS NOT NULL AND NOT EXISTS "
      + "(SELECT 1 FROM \(layout.entities[destination.index].table) AS d "
      + "WHERE d.Z_PK = t.\(column.name) AND \(isFamily(destination, "d")))"
    let (count, examples) = try rows(of: entity, where: condition)
    if count == 0 { return [] }
    let columns = [column.name, column.entityColumn, column.orderColumn].compactMap { $0 }
    let doubt = try doubt(about: destination)
    let warning = property.isOptional ? "" : "; it is mandatory, so the objects need a new one"
    return [
      Finding(
        .dangling,
        place: "\(entity.name).\(property.name)",
        "leads to \(destination.name) objects that are not there\(warning)\(doubt ?? "")",
        count: count,
        examples: examples,
        repair: doubt == nil
          ? .init(
            "set \(property.name) to nil",
            [update(entity, property.slot, clearing: columns, where: condition)]
          ) : nil
      )
    ]
  }

  /// The column of the target's entity number against the target itself.
  func companions(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    guard let column = layout.entities[entity.index].column(property.slot),
      let companion = column.entityColumn, let relationship = property.relationship
    else { return [] }
    let destination = model.entities[relationship.destination]
    let target =
      "(SELECT d.Z_ENT FROM \(layout.entities[destination.index].table) AS d "
      + "WHERE d.Z_PK = t.\(column.name) AND \(isFamily(destination, "d")))"
    let condition =
      "t.\(column.name) IS NOT NULL AND \(target) IS NOT NULL AND t.\(companion) IS NOT \(target)"
    let (count, examples) = try rows(of: entity, where: condition)
    if count == 0 { return [] }
    return [
      Finding(
        .companion,
        place: "\(entity.name).\(property.name)",
        "column \(companion) names another entity than its object has",
        count: count,
        examples: examples,
        repair: .init(
          "take the entity of the object",
          [update(entity, property.slot, set: "\(companion) = \(target)", where: condition)]
        )
      )
    ]
  }

  /// Of two to-ones that are each other's inverse, each must lead back.
  func inverses(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    guard let relationship = property.relationship, let slot = relationship.inverse,
      let column = layout.entities[entity.index].column(property.slot)
    else { return [] }
    let destination = model.entities[relationship.destination]
    guard destination.properties[slot].isToOne,
      let back = layout.entities[destination.index].column(slot)
    else { return [] }
    let other = layout.entities[destination.index].table
    let table = layout.entities[entity.index].table
    let condition =
      "t.\(column.name) IS NOT NULL AND EXISTS (SELECT 1 FROM \(other) AS d "
      + "WHERE d.Z_PK = t.\(column.name) AND \(isFamily(destination, "d")) "
      + "AND d.\(back.name) IS NOT t.Z_PK)"
    let (count, examples) = try rows(of: entity, where: condition)
    if count == 0 { return [] }
    // Where nobody else has a better claim the other side is completed, else this side gives way.
    let free =
      "EXISTS (SELECT 1 FROM \(other) AS d WHERE d.Z_PK = t.\(column.name) AND d.\(back.name) "
      + "IS NULL) AND t.Z_PK = (SELECT MIN(o.Z_PK) FROM \(table) AS o "
      + "WHERE o.\(column.name) = t.\(column.name) AND \(isFamily(entity, "o")))"
    let claimant =
      "(SELECT MIN(t.Z_PK) FROM \(table) AS t WHERE t.\(column.name) = d.Z_PK "
      + "AND \(isFamily(entity, "t")))"
    var completed = "\(back.name) = \(claimant)"
    if let companion = back.entityColumn {
      completed +=
        ", \(companion) = (SELECT c.Z_ENT FROM \(table) AS c WHERE c.Z_PK = \(claimant))"
    }
    let incomplete =
      "d.\(back.name) IS NULL AND \(isFamily(destination, "d")) "
      + "AND EXISTS (SELECT 1 FROM \(table) AS t WHERE t.\(column.name) = d.Z_PK "
      + "AND \(isFamily(entity, "t")) AND \(free))"
    let columns = [column.name, column.entityColumn].compactMap { $0 }
    let doubt = try doubt(about: destination) ?? doubt(about: entity)
    return [
      Finding(
        .inverse,
        place: "\(entity.name).\(property.name)",
        "its inverse \(destination.name).\(destination.properties[slot].name) does not lead back"
          + (doubt ?? ""),
        count: count,
        examples: examples,
        repair: doubt == nil
          ? .init(
            "complete the inverse where it is nil, else set \(property.name) to nil",
            [
              .init(
                Statement(
                  text: "UPDATE \(other) AS d SET \(completed), Z_OPT = IFNULL(Z_OPT, 0) + 1 "
                    + "WHERE \(incomplete)"
                ),
                objects: "SELECT d.Z_PK, d.Z_ENT FROM \(other) AS d WHERE \(incomplete)",
                slot: slot
              ),
              update(entity, property.slot, clearing: columns, where: condition),
            ]
          ) : nil
      )
    ]
  }

  /// Sets columns to nil in rows of the entity that meet a condition on the alias `t`; of their properties
  /// that of the slot changes.
  func update(
    _ entity: EntityDefinition,
    _ slot: Int?,
    clearing columns: [String],
    where condition: String
  ) -> Finding.Change {
    let change = update(
      entity,
      slot,
      set: columns.map { "\($0) = NULL" }.joined(separator: ", "),
      where: condition
    )
    return Finding.Change(
      change.statement,
      objects: change.objects,
      slot: slot,
      losses: values(
        of: ["Z_PK", "Z_ENT"] + columns,
        "t",
        in: layout.entities[entity.index].table,
        where: "\(isFamily(entity, "t")) AND \(condition)"
      )
    )
  }

  /// Changes rows of the entity that meet a condition on the alias `t`; of their properties that of the
  /// slot changes.
  func update(
    _ entity: EntityDefinition,
    _ slot: Int?,
    set: String? = nil,
    where condition: String
  ) -> Finding.Change {
    let table = layout.entities[entity.index].table
    let chosen = "WHERE \(isFamily(entity, "t")) AND \(condition)"
    let settings = [set, "Z_OPT = IFNULL(Z_OPT, 0) + 1"].compactMap { $0 }.joined(separator: ", ")
    return Finding.Change(
      Statement(text: "UPDATE \(table) AS t SET \(settings) \(chosen)"),
      objects: "SELECT t.Z_PK, t.Z_ENT FROM \(table) AS t \(chosen)",
      slot: slot,
      isVersionAlone: set == nil
    )
  }
}
