// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

extension Doctor {
  /// Returns a finding for each table and column of the model that the file lacks.
  ///
  /// If there is such a finding, rows cannot be checked.
  func missingSchema() -> [Finding] {
    var findings: [Finding] = []
    func lack(_ location: String, _ message: String) {
      findings.append(
        Finding(.schema, location: location, message, count: 1, advice: "restore a backup")
      )
    }
    for entity in model.entities {
      let stored = layout.entities[entity.index]
      guard let columns = schema.columns[stored.table] else {
        if entity.parent == nil { lack(entity.name, "the table \(stored.table) is missing") }
        continue
      }
      for property in entity.properties where property.declaringEntity == entity.index {
        let hidden = stored.members[property.slot].flatMap { $0.isHidden ? $0 : nil }
        let table = hidden.map(\.table) ?? stored.table
        let wanted = hidden.map { [$0.ownerColumn] } ?? stored.column(property.slot)?.names ?? []
        let present = hidden == nil ? columns : schema.columns[table] ?? []
        for name in wanted where !present.contains(name) {
          lack("\(entity.name).\(property.name)", "the column \(table).\(name) is missing")
        }
      }
    }
    for join in layout.joins {
      guard let columns = schema.columns[join.name] else {
        lack(join.name, "the join table is missing")
        continue
      }
      for name in join.columns where !columns.contains(name) {
        lack(join.name, "the column \(name) of the join table is missing")
      }
    }
    return findings
  }

  func metadata() throws -> [Finding] {
    do {
      _ = try file.metadata()
      return []
    } catch let error as StoreError where error.code == .corrupt && error.engineCode == nil {
      return [
        Finding(
          .metadata,
          location: "Z_METADATA",
          "\(error.message), so the store cannot be opened",
          count: 1,
          advice: "copy the row of Z_METADATA from a backup"
        )
      ]
    }
  }

  /// Returns a finding if `Z_MAX` of a hierarchy is missing, not an integer, not a valid key, or less than a
  /// key in use; otherwise an empty array.
  func lastKey(of root: EntityDefinition) throws -> [Finding] {
    let stored = layout.entities[root.index]
    let highest = try file.integer("SELECT MAX(Z_PK) FROM \(stored.table)") ?? 0
    let recorded = try file.integer(PrimaryKeys.selectWholeLastKey(of: stored.number))
    let keys = 0...ObjectKey.maximumNumber
    if let recorded, keys.contains(recorded), recorded >= highest { return [] }
    var message = recorded.map { "Z_MAX is \($0)" } ?? "Z_MAX is missing or is not an integer"
    if highest > max(0, recorded ?? 0) {
      message +=
        ", but key \(highest) is in use, so Apple's framework would eventually assign this key to a new "
        + "object"
    } else if recorded != nil {
      message += ", which is not a valid key"
    }
    let next = max(0, highest)
    let repair = Finding.Change(PrimaryKeys.setLastKey(next, of: stored.number))
    return [
      Finding(
        .lastKey,
        location: root.name,
        message,
        count: 1,
        examples: highest > 0 ? ["\(root.name)/p\(highest)"] : [],
        repair: keys.contains(next) ? .init("set Z_MAX to \(next)", [repair]) : nil,
        advice: "assign other keys to the rows whose keys are above \(ObjectKey.maximumNumber)"
      )
    ]
  }

  func keys(of root: EntityDefinition) throws -> [Finding] {
    let condition = "Z_PK NOT BETWEEN 0 AND \(ObjectKey.maximumNumber)"
    return try findings(
      in: root,
      where: condition,
      Finding(
        .key,
        location: root.name,
        "rows have primary keys outside the range 0 to \(ObjectKey.maximumNumber)",
        count: 0,
        advice: "give the rows unused keys in this range, and change the references to them"
      )
    )
  }

  /// Returns a finding for rows whose version (`Z_OPT`) is not an integer; empty if there are none.
  ///
  /// A save cannot check such a row for conflicts.
  func versions(of root: EntityDefinition) throws -> [Finding] {
    let condition = "Z_OPT IS NULL OR typeof(Z_OPT) <> 'integer'"
    let table = layout.entities[root.index].table
    let repair = Finding.Change(
      Statement(text: "UPDATE \(table) SET Z_OPT = 1 WHERE \(condition)")
    )
    return try findings(
      in: root,
      where: condition,
      Finding(
        .version,
        location: root.name,
        "rows have no integer version (Z_OPT)",
        count: 0,
        repair: .init("set Z_OPT to 1", [repair])
      )
    )
  }

  /// Returns `finding`, completed with the number of rows that satisfy a condition and the names of some of
  /// them; empty if there are no such rows.
  ///
  /// The condition is applied to all rows in the table of a hierarchy.
  private func findings(
    in root: EntityDefinition,
    where condition: String,
    _ finding: Finding
  ) throws -> [Finding] {
    let from = "FROM \(layout.entities[root.index].table) WHERE \(condition)"
    let count = Int(try file.integer("SELECT COUNT(*) \(from)") ?? 0)
    if count == 0 { return [] }
    let found = try file.rows("SELECT Z_PK, Z_ENT \(from) ORDER BY Z_PK LIMIT \(Self.exampleLimit)")
    return [
      Finding(
        finding.check,
        location: finding.location,
        finding.message,
        count: count,
        examples: found.map { name(entity: $0[1].whole, key: $0[0].whole, root) },
        repair: finding.repair,
        advice: finding.advice
      )
    ]
  }
}
