// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite

extension Doctor {
  /// Returns a finding for rows whose to-one refers to an object that does not exist or has the wrong entity;
  /// empty if there are none.
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
    let reasonNotToRepair = try reasonNotToRepair(about: destination)
    let warning =
      property.isOptional
      ? "" : "; the relationship is mandatory, so the \(entity.name) objects need new values"
    return [
      Finding(
        .dangling,
        location: "\(entity.name).\(property.name)",
        "rows refer to keys that no \(destination.name) object has\(warning)\(reasonNotToRepair ?? "")",
        count: count,
        examples: examples,
        repair: reasonNotToRepair == nil
          ? .init(
            "set \(property.name) to nil",
            [update(entity, property.slot, clearing: columns, where: condition)]
          ) : nil,
        advice: Self.adviceForDamagedRows
      )
    ]
  }

  /// Returns a finding for rows in which the entity column of a to-one differs from the destination's entity.
  ///
  /// Returns an empty array if there are no such rows, or if the to-one has no entity column.
  func entityColumns(
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
        location: "\(entity.name).\(property.name)",
        "the entity column \(companion) differs from the entity of the destination object",
        count: count,
        examples: examples,
        repair: .init(
          "set the column to the entity of the destination object",
          [update(entity, property.slot, set: "\(companion) = \(target)", where: condition)]
        )
      )
    ]
  }

  /// Returns findings for objects whose destination does not refer back to them.
  ///
  /// Returns an empty array if there are no such objects, or if the inverse is not a persistent to-one. If
  /// the inverse is nil and no other object has the same destination, the finding is only a hint, because
  /// stores written by Apple's framework contain such objects (observed: `ICCloudSyncingObject.cloudState` of
  /// Notes).
  func inverses(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    guard let pair = PairedColumns(property, entity, self) else { return [] }
    let location = "\(entity.name).\(property.name)"
    let inverse = "\(pair.destination.name).\(pair.destination.properties[pair.slot].name)"
    var findings: [Finding] = []
    let contradicted = try rows(of: entity, where: pair.contradicted)
    if contradicted.count > 0 {
      let reasonNotToRepair =
        try reasonNotToRepair(about: pair.destination) ?? reasonNotToRepair(about: entity)
      findings.append(
        Finding(
          .inverse,
          location: location,
          "the destination does not refer back: its \(inverse) refers to another object, or is nil although "
            + "several objects refer to the destination" + (reasonNotToRepair ?? ""),
          count: contradicted.count,
          examples: contradicted.examples,
          repair: reasonNotToRepair == nil ? repair(pair, property, of: entity) : nil,
          advice: Self.adviceForDamagedRows
        )
      )
    }
    let oneSided = try rows(of: entity, where: pair.oneSided)
    if oneSided.count > 0 {
      findings.append(
        Finding(
          .inverse,
          .hint,
          location: location,
          "the destination does not refer back: its \(inverse) is nil",
          count: oneSided.count,
          examples: oneSided.examples,
          completion: .init("set the inverse", [completion(pair, where: pair.unreciprocated)])
        )
      )
    }
    return findings
  }

  /// Returns the repair of the to-ones that satisfy `PairedColumns.contradicted`.
  ///
  /// If several objects refer to a destination whose inverse is nil, the repair sets the inverse to the
  /// object with the lowest key. Then the repair sets every to-one that still satisfies the condition to nil.
  private func repair(
    _ pair: PairedColumns,
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) -> Finding.Repair {
    .init(
      "set each inverse that is nil to the referring object with the lowest key, then set "
        + "\(property.name) to nil in objects whose destination does not refer back",
      [
        completion(pair, where: pair.incomplete),
        update(entity, property.slot, clearing: pair.columns, where: pair.contradicted),
      ]
    )
  }

  /// Returns a change that sets the inverse to the referring object with the lowest key.
  ///
  /// The change applies to the destinations `d` that satisfy a condition.
  private func completion(_ pair: PairedColumns, where condition: String) -> Finding.Change {
    .init(
      Statement(
        text: "UPDATE \(pair.other) AS d SET \(pair.completed), Z_OPT = IFNULL(Z_OPT, 0) + 1 "
          + "WHERE \(condition)"
      ),
      objects: "SELECT d.Z_PK, d.Z_ENT FROM \(pair.other) AS d WHERE \(condition)",
      slot: pair.slot
    )
  }

  /// Returns a change that sets columns to NULL and increases the version of each changed row.
  ///
  /// The change applies to the rows `t` of the entity and its subentities that satisfy a condition. `slot` is
  /// the property that the history records as changed; nil for none.
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

  /// Returns a change that executes the assignments in `set`, if any, and increases the version of each
  /// changed row.
  ///
  /// The change applies to the rows `t` of the entity and its subentities that satisfy a condition. `slot` is
  /// the property that the history records as changed; nil for none.
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
      changesOnlyVersion: set == nil
    )
  }
}
