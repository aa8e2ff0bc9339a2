// SPDX-License-Identifier: Apache-2.0

/// An index of a table, as `CREATE INDEX` defines it.
struct IndexStatement {
  let name: String
  let table: String
  /// Columns or expressions, each followed by its collation and direction, if any.
  let parts: [String]
  var isUnique = false
  var condition: String?

  var statement: Statement {
    let kind = isUnique ? "UNIQUE INDEX" : "INDEX"
    let filter = condition.map { " WHERE \($0)" } ?? ""
    return Statement(
      text: "CREATE \(kind) \(name) ON \(table) (\(parts.joined(separator: ", ")))\(filter)"
    )
  }
}
