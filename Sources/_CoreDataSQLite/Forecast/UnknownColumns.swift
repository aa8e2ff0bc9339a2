// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataSQL

/// Counts the values in columns that no model describes, such as columns that a program has added.
package struct UnknownColumns {
  typealias Note = MigrationForecast.Note

  private let file: StoreFile

  package init(_ file: StoreFile) { self.file = file }

  /// Returns a note for each column that has values; `cause` is the reason why the migration loses the
  /// values.
  ///
  /// - Throws: `StoreError`.
  func notes(of columns: [(table: String, column: String)], _ cause: String) throws -> [Note] {
    try columns.compactMap { table, column in
      let condition = "\(Self.quoted(column)) IS NOT NULL"
      let rows = "FROM \(Self.quoted(table)) WHERE \(condition)"
      let count = Int(try file.integer("SELECT COUNT(*) \(rows)") ?? 0)
      if count == 0 { return nil }
      return Note(
        kind: .loss,
        place: "\(table).\(column)",
        text: "no model describes the column, and \(cause); \(CellText.count(count, "row")) "
          + "\(count == 1 ? "has" : "have") a value",
        count: count,
        examples: []
      )
    }
  }

  /// Returns a note for each unknown column with values in the tables of `model`, for a migration with a
  /// mapping model, which writes all rows anew.
  ///
  /// - Throws: `StoreError`.
  package func notes(ofTablesIn model: ModelDefinition) throws -> [MigrationForecast.Note] {
    let schema = try file.schema()
    let layout = try Layout(model: model, stored: schema, entities: [])
    var known: [String: Set<String>] = [:]
    for table in layout.tables {
      known[table.name] = Set(["Z_PK", "Z_ENT", "Z_OPT"] + table.columns.map(\.name))
    }
    for join in layout.joins { known[join.name] = Set(join.columns) }
    let unknown = known.keys.sorted().flatMap { table in
      (schema.columns[table] ?? [])
        .filter { known[table]?.contains($0) == false && !Leftover.isName($0) }
        .map { (table: table, column: $0) }
    }
    return try notes(of: unknown, "a migration with a mapping model does not copy such columns")
  }

  private static func quoted(_ name: String) -> String {
    "\"" + name.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"")
      + "\""
  }
}
