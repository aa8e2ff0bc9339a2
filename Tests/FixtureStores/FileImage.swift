// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Everything that a store's file holds, to tell what a save changed.
package struct FileImage {
  /// Table → primary key or pair, as text → row.
  package let tables: [String: [String: [String: RawRows.Cell]]]
  /// The text of every definition.
  package let definitions: Set<String>

  package init(_ path: String) throws {
    (tables, definitions) = try RawRows.read(path) { raw in
      var tables: [String: [String: [String: RawRows.Cell]]] = [:]
      for table in try raw.texts(
        "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite\\_%' "
          + "ESCAPE '\\'"
      ) {
        var rows: [String: [String: RawRows.Cell]] = [:]
        for row in try raw.rows("SELECT rowid AS _rowid, * FROM \"\(table)\"") {
          rows[Self.key(row)] = row.filter { $0.key != "_rowid" }
        }
        tables[table] = rows
      }
      return (tables, Set(try raw.texts("SELECT sql FROM sqlite_master WHERE sql IS NOT NULL")))
    }
  }

  /// The primary key; of a join table the pair.
  private static func key(_ row: [String: RawRows.Cell]) -> String {
    if let number = row["Z_PK"]?.number { return "\(number)" }
    if let number = row["Z_ENT"]?.number, row["Z_NAME"] != nil { return "\(number)" }
    let pair = row.filter { $0.key.hasPrefix("Z_") && !$0.key.hasPrefix("Z_FOK_") }
    if pair.count == 2 {
      return pair.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value.number ?? 0)" }
        .joined(separator: ", ")
    }
    return "row \(row["_rowid"]?.number ?? 0)"
  }

  /// One row that differs.
  package struct Change: Hashable, CustomStringConvertible {
    package enum Kind: Hashable { case inserted, deleted, updated(Set<String>) }
    package let table: String
    package let key: String
    package let kind: Kind
    package var description: String { "\(table) \(key) \(kind)" }
  }

  /// What differs between this image and a later one.
  package func changes(to later: FileImage) -> Set<Change> {
    var changes: Set<Change> = []
    for table in Set(tables.keys).union(later.tables.keys) {
      let old = tables[table] ?? [:]
      let new = later.tables[table] ?? [:]
      for key in Set(old.keys).union(new.keys) {
        switch (old[key], new[key]) {
        case (nil, _?): changes.insert(Change(table: table, key: key, kind: .inserted))
        case (_?, nil): changes.insert(Change(table: table, key: key, kind: .deleted))
        case (let before?, let after?) where before != after:
          let columns = after.keys.filter { before[$0] != after[$0] }
          changes.insert(Change(table: table, key: key, kind: .updated(Set(columns))))
        default: break
        }
      }
    }
    return changes
  }
}
