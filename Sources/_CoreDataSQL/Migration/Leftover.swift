// SPDX-License-Identifier: Apache-2.0

/// A table or column that a deferred migration has left in a file, to be dropped later.
///
/// The migration renames leftovers, so that their former names are free for the new model and for later
/// models. Leftovers are recognized by their names alone, so every later migration of the file can drop or
/// keep them.
package enum Leftover: Sendable, Hashable, CustomStringConvertible {
  case table(String)
  case column(String, table: String)

  private static let prefix = "CDD_"

  /// Returns whether a table or column with this name is a leftover.
  package static func isName(_ name: String) -> Bool { name.hasPrefix(prefix) }

  /// Returns a name that is not in `taken`, for a table or column that becomes a leftover.
  static func name(for name: String, taken: Set<String>) -> String {
    let base = prefix + name
    if !taken.contains(base) { return base }
    var number = 2
    while taken.contains("\(base)_\(number)") { number += 1 }
    return "\(base)_\(number)"
  }

  /// Returns the leftovers of a file: first the columns, in the order of their tables' names, then the
  /// tables.
  package static func all(in schema: StoredSchema) -> [Leftover] {
    let tables = schema.columns.keys.sorted()
    let columns = tables.filter { !isName($0) }.flatMap { table in
      (schema.columns[table] ?? []).filter(isName).map { Leftover.column($0, table: table) }
    }
    return columns + tables.filter(isName).map(Leftover.table)
  }

  /// The statement that drops the leftover.
  ///
  /// Dropping a column rewrites all rows of its table.
  package var removal: Statement {
    switch self {
    case .table(let name): Statement(text: "DROP TABLE \(name)")
    case .column(let name, let table): Statement(text: "ALTER TABLE \(table) DROP COLUMN \(name)")
    }
  }

  package var description: String {
    switch self {
    case .table(let name): "table \(name)"
    case .column(let name, let table): "column \(table).\(name)"
    }
  }
}
