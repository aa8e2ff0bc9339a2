// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

/// Checks a store for damage, and for data that does not match its model.
package struct Doctor {
  let file: StoreFile
  let model: ModelDefinition
  let layout: Layout
  let schema: StoredSchema
  /// Whether the model was reconstructed from the tables.
  ///
  /// Such a model is incomplete; for example, the tables do not show which attributes have external storage.
  let isModelReconstructed: Bool
  static let exampleLimit = 5

  /// Creates a doctor for a store and its model; the model must not be reconstructed from the store's tables.
  ///
  /// - Throws: `StoreError`; `.incompatibleModel` if the file lacks an entity of the model.
  package init(_ file: StoreFile, model: ModelDefinition) throws {
    try self.init(file, model: model, isModelReconstructed: false)
  }

  /// Creates a doctor for a store and a loaded model.
  ///
  /// If the model was reconstructed from the tables, external files are not checked.
  /// - Throws: `StoreError`; `.incompatibleModel` if the file lacks an entity of the model.
  package init(_ file: StoreFile, _ loaded: LoadedModel) throws {
    try self.init(
      file,
      model: loaded.definition,
      isModelReconstructed: loaded.source.isReconstructed
    )
  }

  private init(_ file: StoreFile, model: ModelDefinition, isModelReconstructed: Bool) throws {
    self.file = file
    self.isModelReconstructed = isModelReconstructed
    self.model = model
    schema = try file.schema()
    layout = try Layout(model: model, stored: schema)
  }

  /// Runs the checks and returns their findings, in the order of the checks.
  ///
  /// If SQLite's integrity check finds damage outside indexes, no other check runs. If tables or columns are
  /// missing, rows and external files are not checked. `progress` is called with the name of the part that is
  /// checked next, either the file or an entity. A name can be passed more than once.
  /// - Throws: `StoreError` if the file cannot be read, `ToolError` if a folder cannot be listed.
  /// - Complexity: a few statements for each entity and property, most of which read a whole table.
  package func examine(progress: (String) -> Void = { _ in }) throws -> [Finding] {
    progress("the file")
    let integrity = try integrity()
    // Other checks could fail on damaged pages.
    if integrity.contains(where: { $0.repair == nil }) { return integrity }
    var findings = try integrity + metadata()
    let missingSchema = missingSchema()
    if !missingSchema.isEmpty { return findings + missingSchema }
    for entity in model.entities where entity.parent == nil {
      progress(entity.name)
      findings += try lastKey(of: entity)
      findings += try keys(of: entity)
      findings += try versions(of: entity)
      findings += try foreignRows(in: entity)
    }
    for entity in model.entities {
      progress(entity.name)
      for slot in entity.storedSlots
      where entity.properties[slot].declaringEntity == entity.index {
        let property = entity.properties[slot]
        if property.isToOne {
          findings += try dangling(property, of: entity)
          findings += try entityColumns(property, of: entity)
          findings += try inverses(property, of: entity)
        }
        findings += try missing(property, of: entity)
      }
      for slot in entity.toManySlots
      where entity.properties[slot].declaringEntity == entity.index {
        findings += try members(entity.properties[slot], of: entity)
      }
    }
    findings += try duplicates()
    if !isModelReconstructed { findings += try externalFiles() }
    return findings
  }

  // MARK: The file

  private func integrity() throws -> [Finding] {
    let lines = try file.rows("PRAGMA integrity_check(20)").compactMap { $0.first?.text }
    if lines == ["ok"] { return [] }
    // SQLite reports a page that it cannot read as a problem of the database, not as an error.
    if let unread = lines.first(where: Self.isUnreadPage) {
      throw StoreError(
        .cannotRead,
        "the database cannot be checked, because a page cannot be read: \(unread)",
        path: file.path
      )
    }
    let isIndex = lines.allSatisfy {
      $0.contains("missing from index") || $0.contains("wrong # of entries in index")
        || $0.contains("non-unique entry in index")
    }
    return [
      Finding(
        .integrity,
        location: (file.path as NSString).lastPathComponent,
        (isIndex ? "indexes do not match their tables" : "the database is damaged")
          + (lines.count == 20 ? " (only the first 20 problems were read)" : ""),
        count: lines.count,
        examples: Array(lines.prefix(Self.exampleLimit)),
        repair: isIndex ? .init("rebuild all indexes", [.init(Statement(text: "REINDEX"))]) : nil,
        advice: "restore a backup, or save what can be read with `sqlite3 FILE .recover`"
      )
    ]
  }

  /// Returns whether a line of `PRAGMA integrity_check` reports that reading a page failed.
  ///
  /// Source: observed, with SQLite 3.40 and reads that fail; 10 is the result code SQLITE_IOERR.
  private static func isUnreadPage(_ line: String) -> Bool {
    if line.contains("failed to get page") || line.contains("Failed to read ptrmap key") {
      return true
    }
    guard let range = line.range(of: "unable to get the page. error code=") else { return false }
    return Int(line[range.upperBound...].prefix { $0.isNumber }).map { $0 & 0xFF } == 10
  }

  private func foreignRows(in root: EntityDefinition) throws -> [Finding] {
    let table = layout.entities[root.index].table
    let known = numbers(root.family)
    let condition = "Z_ENT IS NULL OR Z_ENT NOT IN (\(known))"
    let count = Int(try file.integer("SELECT COUNT(*) FROM \(table) WHERE \(condition)") ?? 0)
    if count == 0 { return [] }
    let found = try file.rows(
      "SELECT Z_PK, Z_ENT FROM \(table) WHERE \(condition) ORDER BY Z_PK LIMIT \(Self.exampleLimit)"
    )
    return [
      Finding(
        .entity,
        location: table,
        "rows have no entity number (Z_ENT), or one that belongs to no entity of the table",
        count: count,
        examples: found.map {
          "Z_PK \($0[0].whole) with Z_ENT \($0[1] == .null ? "NULL" : String($0[1].whole))"
        },
        advice: "set Z_ENT to the entity number that Z_PRIMARYKEY has for the object's entity"
      )
    ]
  }

  // MARK: Helpers

  func numbers(_ family: Range<Int>) -> String {
    family.map { String(layout.entities[$0].number) }.joined(separator: ",")
  }

  /// Returns an SQL condition that is true for rows of the entity and its subentities; `1` if the table
  /// contains only such rows.
  func isFamily(_ entity: EntityDefinition, _ alias: String) -> String {
    layout.entities[entity.index].sharesTable
      ? "\(alias).Z_ENT IN (\(numbers(entity.family)))" : "1"
  }

  /// Returns the number of rows of the entity and its subentities that satisfy a condition on the alias `t`,
  /// and the names of some of these rows.
  func rows(
    of entity: EntityDefinition,
    where condition: String
  ) throws -> (count: Int, examples: [String]) {
    let table = layout.entities[entity.index].table
    let from = "FROM \(table) AS t WHERE \(isFamily(entity, "t")) AND \(condition)"
    let count = Int(try file.integer("SELECT COUNT(*) \(from)") ?? 0)
    if count == 0 { return (0, []) }
    let found = try file.rows(
      "SELECT t.Z_PK, t.Z_ENT \(from) ORDER BY t.Z_PK LIMIT \(Self.exampleLimit)"
    )
    return (count, found.map { name(entity: $0[1].whole, key: $0[0].whole, entity) })
  }

  static let adviceForDamagedRows = "correct the keys or entity numbers, then repair again"

  /// Returns the end of a message that says why references to missing objects of an entity must not be
  /// removed; nil if they can be removed.
  ///
  /// References must not be removed while a row of the hierarchy has a damaged key or entity number, because
  /// that row may be the missing object.
  func reasonNotToRepair(about entity: EntityDefinition) throws -> String? {
    let root = model.entities[entity.root]
    let broken =
      "Z_PK NOT BETWEEN 0 AND \(ObjectKey.maximumNumber) OR Z_ENT IS NULL "
      + "OR Z_ENT NOT IN (\(numbers(root.family)))"
    let table = layout.entities[root.index].table
    let count = try file.integer("SELECT COUNT(*) FROM \(table) WHERE \(broken)") ?? 0
    if count == 0 { return nil }
    return
      "; the references are not repaired while rows of \(table) have invalid keys or entity numbers"
  }

  /// Returns a query that formats the values of the columns as SQL literals, one line of text per row.
  ///
  /// The lines allow the user to restore lost values by hand.
  func values(
    of columns: [String],
    _ alias: String,
    in table: String,
    where condition: String
  ) -> String {
    let shown = columns.map { "'\($0) ' || quote(\(alias).\($0))" }
      .joined(separator: " || ', ' || ")
    return "SELECT '\(table): ' || \(shown) FROM \(table) AS \(alias) WHERE \(condition)"
  }

  /// Returns a name such as `Team/p7`; uses the entity `fallback` if no entity has the number.
  func name(entity number: Int64, key: Int64, _ fallback: EntityDefinition) -> String {
    let index = layout.entityByNumber[number] ?? fallback.index
    return "\(model.entities[index].name)/p\(key)"
  }
}
