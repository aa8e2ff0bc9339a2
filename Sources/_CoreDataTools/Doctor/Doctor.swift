// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQL
import _CoreDataSQLite
import _CoreDataStore

/// Looks for damage in a store that its model makes visible.
package struct Doctor {
  let file: StoreFile
  let model: ModelDefinition
  let layout: Layout
  let schema: StoredSchema
  /// Whether nothing can be said about what the tables do not show, such as files of large values.
  let knowsTablesAlone: Bool
  /// Examples of a finding.
  static let exampleLimit = 5

  /// - Throws: `StoreError.incompatibleModel` where the file lacks an entity of the model.
  package init(_ file: StoreFile, model: ModelDefinition) throws {
    try self.init(file, model: model, knowsTablesAlone: false)
  }

  /// The same; with a model made of tables what those do not show is not looked at.
  package init(_ file: StoreFile, _ loaded: LoadedModel) throws {
    try self.init(
      file,
      model: loaded.definition,
      knowsTablesAlone: loaded.source.isReconstructed
    )
  }

  private init(_ file: StoreFile, model: ModelDefinition, knowsTablesAlone: Bool) throws {
    self.file = file
    self.knowsTablesAlone = knowsTablesAlone
    self.model = model
    schema = try file.schema()
    layout = try Layout(model: model, stored: schema)
  }

  /// Everything that is wrong, in the order of the checks.
  ///
  /// `progress` is told the place that is looked at.
  /// - Throws: `StoreError` where the file cannot even be read.
  /// - Complexity: some statements a property, each over its table.
  package func examine(progress: (String) -> Void = { _ in }) throws -> [Finding] {
    progress("the file")
    let integrity = try integrity()
    // Statements over broken pages would only fail.
    if integrity.contains(where: { $0.repair == nil }) { return integrity }
    var findings = try integrity + metadata()
    let lacking = lacking()
    if !lacking.isEmpty { return findings + lacking }
    for entity in model.entities where entity.parent == nil {
      progress(entity.name)
      findings += try lastKey(of: entity)
      findings += try keys(of: entity)
      findings += try versions(of: entity)
      findings += try strangers(in: entity)
    }
    for entity in model.entities {
      progress(entity.name)
      for slot in entity.storedSlots
      where entity.properties[slot].declaringEntity == entity.index {
        let property = entity.properties[slot]
        if property.isToOne {
          findings += try dangling(property, of: entity)
          findings += try companions(property, of: entity)
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
    if !knowsTablesAlone { findings += try externalFiles() }
    return findings
  }

  // MARK: The file

  private func integrity() throws -> [Finding] {
    let lines = try file.rows("PRAGMA integrity_check(20)").compactMap { $0.first?.text }
    if lines == ["ok"] { return [] }
    let isIndex = lines.allSatisfy {
      $0.contains("missing from index") || $0.contains("wrong # of entries in index")
        || $0.contains("non-unique entry in index")
    }
    return [
      Finding(
        .integrity,
        place: (file.path as NSString).lastPathComponent,
        isIndex ? "indexes do not agree with their tables" : "the database is damaged",
        count: lines.count,
        examples: Array(lines.prefix(Self.exampleLimit)),
        repair: isIndex ? .init("build all indexes anew", [.init(Statement(text: "REINDEX"))]) : nil
      )
    ]
  }

  private func strangers(in root: EntityDefinition) throws -> [Finding] {
    let table = layout.entities[root.index].table
    let known = numbers(root.family)
    let condition = "Z_ENT IS NULL OR Z_ENT NOT IN (\(known))"
    let count = Int(try file.integer("SELECT COUNT(*) FROM \(table) WHERE \(condition)") ?? 0)
    if count == 0 { return [] }
    let found = try file.rows(
      "SELECT DISTINCT Z_ENT FROM \(table) WHERE \(condition) LIMIT \(Self.exampleLimit)"
    )
    return [
      Finding(
        .entity,
        place: table,
        "rows have an entity number that the table's entities do not have",
        count: count,
        examples: found.map { "Z_ENT \($0[0] == .null ? "NULL" : String($0[0].whole))" }
      )
    ]
  }

  // MARK: Helpers

  /// Entity numbers for an `IN`.
  func numbers(_ family: Range<Int>) -> String {
    family.map { String(layout.entities[$0].number) }.joined(separator: ",")
  }

  /// The condition that a row is of the entity or below it; empty where the table has no others.
  func isFamily(_ entity: EntityDefinition, _ alias: String) -> String {
    layout.entities[entity.index].sharesTable
      ? "\(alias).Z_ENT IN (\(numbers(entity.family)))" : "1"
  }

  /// Rows of the entity that meet a condition on the alias `t`: their number and some of their names.
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

  /// Why a reference is not taken away although its object is not there; nil where nothing speaks for it.
  ///
  /// The object may be a row of the hierarchy that has another key or entity number by damage.
  func doubt(about entity: EntityDefinition) throws -> String? {
    let root = model.entities[entity.root]
    let broken =
      "Z_PK NOT BETWEEN 0 AND \(ObjectKey.maximumNumber) OR Z_ENT IS NULL "
      + "OR Z_ENT NOT IN (\(numbers(root.family)))"
    let table = layout.entities[root.index].table
    let count = try file.integer("SELECT COUNT(*) FROM \(table) WHERE \(broken)") ?? 0
    if count == 0 { return nil }
    return "; left as it is while rows of \(table) have keys or entity numbers that no object has"
  }

  /// A query for the columns' values of rows of `table AS alias`, as text to read and to write back.
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

  func name(entity number: Int64, key: Int64, _ fallback: EntityDefinition) -> String {
    let index = layout.entityByNumber[number] ?? fallback.index
    return "\(model.entities[index].name)/p\(key)"
  }
}
