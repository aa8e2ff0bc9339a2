// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

extension Doctor {
  func missing(
    _ property: PropertyDefinition,
    of entity: EntityDefinition
  ) throws -> [Finding] {
    guard !property.isOptional, let column = layout.entities[entity.index].column(property.slot)
    else { return [] }
    // A save computes derived values, so it accepts rows without them.
    if property.attribute?.derivation != nil { return [] }
    let isNull = column.names.map { "t.\($0) IS NULL" }.joined(separator: " AND ")
    let (count, examples) = try rows(of: entity, where: isNull)
    if count == 0 { return [] }
    return [
      Finding(
        .mandatory,
        .warning,
        location: "\(entity.name).\(property.name)",
        "rows have no value for this mandatory property",
        count: count,
        examples: examples,
        advice: "set the values, or make the property optional"
      )
    ]
  }

  /// Returns a finding for each uniqueness constraint that the store's objects violate.
  func duplicates() throws -> [Finding] {
    var findings: [Finding] = []
    for constraint in UniquenessConstraints(model).all {
      let entity = model.entities[constraint.scope]
      let names = constraint.slots.compactMap { layout.entities[entity.index].column($0)?.names }
      if names.count != constraint.slots.count { continue }
      let columns = names.flatMap(\.self)
      let grouping = columns.joined(separator: ", ")
      let present = columns.map { "t.\($0) IS NOT NULL" }.joined(separator: " AND ")
      let groups =
        "FROM \(layout.entities[entity.index].table) AS t WHERE \(isFamily(entity, "t")) "
        + "AND \(present) GROUP BY \(grouping) HAVING COUNT(*) > 1"
      let count = Int(try file.integer("SELECT COUNT(*) FROM (SELECT 1 \(groups))") ?? 0)
      if count == 0 { continue }
      let found = try file.rows(
        "SELECT group_concat(t.Z_PK, '+') \(groups) ORDER BY MIN(t.Z_PK) "
          + "LIMIT \(Self.exampleLimit)"
      )
      let list = constraint.names.joined(separator: ", ")
      findings.append(
        Finding(
          .duplicate,
          location: entity.name,
          constraint.names.count == 1
            ? "objects have the same value of \(list), which must be unique"
            : "objects have the same values of \(list), whose combination must be unique",
          count: count,
          examples: found.compactMap { $0.first?.text }.map { keys in
            keys.split(separator: "+").map { "\(entity.name)/p\($0)" }.joined(separator: " = ")
          },
          advice: "change the values, or delete all but one of the objects"
        )
      )
    }
    return findings
  }

  func externalFiles() throws -> [Finding] {
    let files = try ExternalFolder(store: file.path).files()
    let (named, findings) = try missingFiles(of: nil)
    return findings + (try orphanFiles(files.filter { !named.contains($0.name) }))
  }

  /// Returns findings for values whose external files are missing.
  ///
  /// `chosen` contains the indexes of the entities to check, without their subentities; nil to check all.
  /// Returns an empty array if the model was reconstructed from the tables, because the tables do not show
  /// which attributes have external storage.
  /// - Throws: `StoreError`; `ToolError` if the folder of the files cannot be listed.
  /// - Complexity: one statement, which reads a whole table, for each attribute with external storage.
  package func lostValues(of chosen: Set<Int>? = nil) throws -> [Finding] {
    if isModelReconstructed { return [] }
    return try missingFiles(of: chosen).findings
  }

  private func missingFiles(
    of chosen: Set<Int>?
  ) throws -> (named: Set<String>, findings: [Finding]) {
    let folder = ExternalFolder(store: file.path)
    let present = Set(try folder.files().map(\.name))
    let numbers = chosen.map {
      $0.map { String(layout.entities[$0].number) }.joined(separator: ",")
    }
    var named: Set<String> = []
    var findings: [Finding] = []
    for entity in model.entities {
      for slot in entity.storedSlots
      where entity.properties[slot].declaringEntity == entity.index {
        guard let column = layout.entities[entity.index].column(slot), column.isTagged else {
          continue
        }
        var lost: [String] = []
        try file.forEach(
          "SELECT t.Z_PK, t.Z_ENT, t.\(column.name) FROM "
            // Without `numbers`, all rows of the table are read, because a row with a damaged entity number
            // may refer to an external file too.
            + "\(layout.entities[entity.index].table) AS t "
            + "WHERE substr(t.\(column.name), 1, 1) = x'02' AND length(t.\(column.name)) = 38"
            + (numbers.map { " AND t.Z_ENT IN (\($0))" } ?? "")
        ) { row in
          guard case .blob(let data) = row[2] else { return }
          let name = String(decoding: data.dropFirst().prefix { $0 != 0 }, as: UTF8.self)
          named.insert(name)
          if !present.contains(name) {
            lost.append(self.name(entity: row[1].whole, key: row[0].whole, entity))
          }
        }
        if !lost.isEmpty {
          findings.append(
            Finding(
              .missingFile,
              location: "\(entity.name).\(entity.properties[slot].name)",
              "objects have values whose files are missing in \(folder.url.path)",
              count: lost.count,
              examples: Array(lost.prefix(Self.exampleLimit)),
              advice: "restore the files from a backup, or set the values again"
            )
          )
        }
      }
    }
    return (named, findings)
  }

  private func orphanFiles(_ orphans: [ExternalFolder.File]) throws -> [Finding] {
    if orphans.isEmpty { return [] }
    let bytes = CellText.bytes(orphans.reduce(0) { $0 + $1.bytes })
    let isShared = ValueFolder(store: file.path).isShared
    let others =
      isShared
      ? "; they are not moved, because a store with the same name and another extension may use them"
      : ""
    return [
      Finding(
        .orphanFile,
        .warning,
        location: ExternalFolder(store: file.path).url.path,
        "no object refers to the files (\(bytes))\(others)",
        count: orphans.count,
        examples: orphans.prefix(Self.exampleLimit).map(\.name),
        repair: isShared
          ? nil : .init("move the files to a folder beside the backup", files: orphans.map(\.name)),
        advice: "move the files that the other store does not use"
      )
    ]
  }
}
