// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite

extension Doctor {
  func members(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    guard let relationship = property.relationship, !property.isTransient,
      let members = layout.entities[entity.index].members[property.slot]
    else { return [] }
    let destination = model.entities[relationship.destination]
    var findings: [Finding] = []
    let location = "\(entity.name).\(property.name)"
    if members.isJoin {
      findings += try danglingPairs(
        members,
        of: property,
        owner: entity,
        destination: destination
      )
    } else if members.isHidden {
      findings += try danglingOwners(members, entity, destination, location: location)
    }
    if let order = members.orderColumn {
      findings += try duplicatePositions(members, order, property, of: entity)
    }
    return findings + (try lacking(members, property, of: entity))
  }

  private func lacking(
    _ members: MemberLayout,
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    guard let relationship = property.relationship else { return [] }
    let number =
      "(SELECT COUNT(*) FROM \(members.table) AS m WHERE m.\(members.ownerColumn) = t.Z_PK)"
    var rules: [(condition: String, message: String)] = []
    // An optional relationship may be empty, even if it has a minimum count.
    if relationship.minCount > 0 {
      rules.append(
        (
          "\(number) < \(relationship.minCount)"
            + (property.isOptional ? " AND \(number) > 0" : ""),
          "objects have fewer members than the minimum of \(relationship.minCount)"
        )
      )
    }
    if relationship.maxCount > 1 {
      rules.append(
        (
          "\(number) > \(relationship.maxCount)",
          "objects have more members than the maximum of \(relationship.maxCount)"
        )
      )
    }
    return try rules.compactMap { rule in
      let (count, examples) = try rows(of: entity, where: rule.condition)
      if count == 0 { return nil }
      return Finding(
        .mandatory,
        .warning,
        location: "\(entity.name).\(property.name)",
        rule.message,
        count: count,
        examples: examples,
        advice: "add or remove members, or change the model's minimum or maximum"
      )
    }
  }

  /// Returns a finding for rows of a join table whose owner does not exist or has the wrong entity; empty if
  /// there are none.
  ///
  /// The members in these rows are checked as the owners of the inverse relationship, so a row that refers to
  /// two missing objects is reported twice.
  private func danglingPairs(
    _ members: MemberLayout,
    of property: PropertyDefinition,
    owner: EntityDefinition,
    destination: EntityDefinition
  ) throws -> [Finding] {
    let condition =
      "NOT EXISTS (SELECT 1 FROM \(layout.entities[owner.index].table) AS o "
      + "WHERE o.Z_PK = p.\(members.ownerColumn) AND \(isFamily(owner, "o")))"
    let from = "FROM \(members.table) AS p WHERE \(condition)"
    let count = Int(try file.integer("SELECT COUNT(*) \(from)") ?? 0)
    if count == 0 { return [] }
    let found = try file.rows(
      "SELECT p.\(members.ownerColumn), p.\(members.memberColumn) \(from) "
        + "LIMIT \(Self.exampleLimit)"
    )
    let reasonNotToRepair = try reasonNotToRepair(about: owner)
    let columns = [members.ownerColumn, members.memberColumn, members.orderColumn].compactMap { $0 }
    // Deleting a row of the join table removes a member from the destination object, so the version of that
    // object must be increased.
    let bereft = "t.Z_PK IN (SELECT p.\(members.memberColumn) \(from))"
    return [
      Finding(
        .dangling,
        location: "\(owner.name).\(property.name)",
        "rows of \(members.table) refer to keys that no \(owner.name) object has\(reasonNotToRepair ?? "")",
        count: count,
        examples: found.map {
          "\(owner.name)/p\($0[0].whole) with \(destination.name)/p\($0[1].whole)"
        },
        repair: reasonNotToRepair == nil
          ? .init(
            "delete these rows",
            [
              update(destination, property.relationship?.inverse, where: bereft),
              .init(
                Statement(text: "DELETE FROM \(members.table) AS p WHERE \(condition)"),
                losses: values(of: columns, "p", in: members.table, where: condition)
              ),
            ]
          ) : nil,
        advice: Self.adviceForDamagedRows
      )
    ]
  }

  /// Returns a finding for members whose owner does not exist or has the wrong entity; empty if there are
  /// none.
  ///
  /// Applies only to a to-many without an inverse; its members refer to their owner in hidden columns.
  private func danglingOwners(
    _ members: MemberLayout,
    _ owner: EntityDefinition,
    _ destination: EntityDefinition,
    location: String
  ) throws -> [Finding] {
    let condition =
      "t.\(members.ownerColumn) IS NOT NULL AND NOT EXISTS "
      + "(SELECT 1 FROM \(layout.entities[owner.index].table) AS o "
      + "WHERE o.Z_PK = t.\(members.ownerColumn) AND \(isFamily(owner, "o")))"
    let (count, examples) = try rows(of: destination, where: condition)
    if count == 0 { return [] }
    let columns = [members.ownerColumn, members.orderColumn].compactMap { $0 }
    let reasonNotToRepair = try reasonNotToRepair(about: owner)
    return [
      Finding(
        .dangling,
        location: location,
        "members refer to keys that no \(owner.name) object has\(reasonNotToRepair ?? "")",
        count: count,
        examples: examples,
        repair: reasonNotToRepair == nil
          ? .init(
            "remove the members from the relationship",
            [update(destination, nil, clearing: columns, where: condition)]
          ) : nil,
        advice: Self.adviceForDamagedRows
      )
    ]
  }

  private func duplicatePositions(
    _ members: MemberLayout,
    _ order: String,
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    let (table, owner) = (members.table, members.ownerColumn)
    let broken =
      "SELECT \(owner) FROM \(table) WHERE \(owner) IS NOT NULL GROUP BY \(owner) "
      + "HAVING COUNT(*) <> COUNT(DISTINCT \(order))"
    let count = Int(try file.integer("SELECT COUNT(*) FROM (\(broken))") ?? 0)
    if count == 0 { return [] }
    let found = try file.rows("\(broken) ORDER BY \(owner) LIMIT \(Self.exampleLimit)")
    // Apple's framework numbers members 2048, 3072, 4096, …
    let ranks =
      "SELECT rowid AS r, 1024 + 1024 * ROW_NUMBER() OVER "
      + "(PARTITION BY \(owner) ORDER BY \(order) IS NULL, \(order), rowid) AS n "
      + "FROM \(table) WHERE \(owner) IN (\(broken))"
    return [
      Finding(
        .order,
        location: "\(entity.name).\(property.name)",
        "objects have members without an order value, or with equal order values",
        count: count,
        examples: found.map { "\(entity.name)/p\($0[0].whole)" },
        repair: .init(
          "renumber the members in their current order",
          [
            update(entity, property.slot, where: "t.Z_PK IN (\(broken))"),
            .init(
              Statement(
                text: "UPDATE \(table) SET \(order) = ranks.n FROM (\(ranks)) AS ranks "
                  + "WHERE \(table).rowid = ranks.r"
              )
            ),
          ]
        )
      )
    ]
  }
}
