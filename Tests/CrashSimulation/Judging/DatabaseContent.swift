// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation

/// The content of a database after SQLite has recovered it.
package final class DatabaseContent {
  /// The rows of each table as texts, with the table's definition first.
  package let tables: [String: [String]]
  /// The names of the files of large values that rows refer to.
  package let references: Set<String>
  /// What is wrong with the database, whatever it should contain.
  package let damage: [String]
  /// A number that only contents with equal tables share.
  package let identity: Int

  init(tables: [String: [String]], references: Set<String>, damage: [String], identity: Int) {
    self.tables = tables
    self.references = references
    self.damage = damage
    self.identity = identity
  }

  /// Whether the database has no tables, as a missing file.
  package var isEmpty: Bool { tables.isEmpty }

  /// Returns the tables and rows in which two contents differ, at most a few.
  package func difference(from other: DatabaseContent) -> String {
    var lines: [String] = []
    for name in Set(tables.keys).union(other.tables.keys).sorted() {
      guard let mine = tables[name] else {
        lines.append("\(name) is missing")
        continue
      }
      guard let others = other.tables[name] else {
        lines.append("\(name) is new")
        continue
      }
      if mine == others { continue }
      let (rows, expected) = (Set(mine), Set(others))
      let added = rows.subtracting(expected).sorted().prefix(3)
      let gone = expected.subtracting(rows).sorted().prefix(3)
      lines.append("\(name): has \(added), lacks \(gone)")
    }
    return lines.prefix(6).joined(separator: "; ")
  }
}

/// Recovers databases as the next opening after a power failure does, and reads their contents.
///
/// Contents are kept by the bytes of the recovered pages. So the tables are read once for each distinct recovered
/// database, and further states cost an opening, the recovery and a comparison of hashes.
package final class DatabaseReader {
  private var known: [Int: DatabaseContent] = [:]
  private var identities: [[String: [String]]: Int] = [:]
  private let empty = DatabaseContent(tables: [:], references: [], damage: [], identity: 0)

  package init() { MemoryFiles.register }

  /// Returns the content of a database with its log and journal.
  package func content(
    _ file: FileBuffer?,
    log: FileBuffer?,
    journal: FileBuffer?
  ) -> DatabaseContent {
    guard let file, file.count > 0 else { return empty }
    let path = "/store"
    MemoryFiles.files = [path: MemoryFiles.File(file)]
    if let log { MemoryFiles.files[path + "-wal"] = MemoryFiles.File(log) }
    if let journal { MemoryFiles.files[path + "-journal"] = MemoryFiles.File(journal) }
    defer { MemoryFiles.files = [:] }
    var opened: OpaquePointer?
    let flags = SQLITE_OPEN_READWRITE | SQLITE_OPEN_NOMUTEX
    let code = sqlite3_open_v2(path, &opened, flags, MemoryFiles.name)
    defer { sqlite3_close_v2(opened) }
    guard code == SQLITE_OK, let opened else { return damaged("cannot be opened: \(code)") }
    // The index of the log is then in the connection's memory.
    sqlite3_exec(opened, "PRAGMA locking_mode = EXCLUSIVE", nil, nil, nil)
    var size: sqlite3_int64 = 0
    guard let pages = sqlite3_serialize(opened, "main", &size, 0) else {
      if sqlite3_errcode(opened) & 0xFF == SQLITE_OK, size == 0 { return empty }
      return damaged(String(cString: sqlite3_errmsg(opened)))
    }
    defer { sqlite3_free(pages) }
    if size == 0 { return empty }
    var hasher = Hasher()
    hasher.combine(bytes: UnsafeRawBufferPointer(start: pages, count: Int(size)))
    let hash = hasher.finalize()
    if let content = known[hash] { return content }
    let content = read(opened)
    known[hash] = content
    return content
  }

  private func damaged(_ text: String) -> DatabaseContent {
    DatabaseContent(tables: ["damaged": [text]], references: [], damage: [text], identity: -1)
  }

  // MARK: Reading

  private func read(_ database: OpaquePointer) -> DatabaseContent {
    var damage: [String] = []
    let check = rows("PRAGMA integrity_check", database)
    if check.rows != ["ok|"] { damage.append("integrity_check: \(check.rows.prefix(3))") }
    var tables: [String: [String]] = [:]
    var references: Set<String> = []
    let names = rows(
      "SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'",
      database
    )
    for name in names.rows.map({ String($0.dropLast()) }) {
      let content = rows("SELECT * FROM \"\(name)\" ORDER BY 1, 2", database)
      tables[name] = content.rows
      references.formUnion(content.references)
    }
    let schema = "SELECT type, name, tbl_name, sql FROM sqlite_schema ORDER BY type, name"
    if !tables.isEmpty { tables["sqlite_schema"] = rows(schema, database).rows }
    damage += keyViolations(tables, database)
    let identity =
      tables.isEmpty ? 0 : identities[tables, default: identities.count + 1]
    if !tables.isEmpty { identities[tables] = identity }
    return DatabaseContent(
      tables: tables,
      references: references,
      damage: damage,
      identity: identity
    )
  }

  /// Compares `Z_PRIMARYKEY` with the rows, and the changes of the history with its transactions.
  private func keyViolations(_ tables: [String: [String]], _ database: OpaquePointer) -> [String] {
    var found: [String] = []
    guard tables["Z_PRIMARYKEY"] != nil else { return [] }
    let numbers = "SELECT Z_NAME || ' ' || Z_MAX FROM Z_PRIMARYKEY WHERE Z_SUPER = 0"
    for row in rows(numbers, database).rows {
      let parts = row.dropLast().split(separator: " ")
      guard parts.count == 2, let last = Int(parts[1]) else { continue }
      for table in ["Z", "A"].map({ $0 + parts[0].uppercased() }) where tables[table] != nil {
        let highest = rows("SELECT COALESCE(MAX(Z_PK), 0) FROM \(table)", database).rows.first
        if let highest, let number = Int(highest.dropLast()), number > last {
          found.append("Z_PRIMARYKEY says \(last) for \(table), which has row \(number)")
        }
      }
    }
    if tables["ACHANGE"] != nil {
      let alone =
        "SELECT Z_PK FROM ACHANGE WHERE ZTRANSACTIONID NOT IN (SELECT Z_PK FROM ATRANSACTION)"
      let changes = rows(alone, database).rows
      if !changes.isEmpty { found.append("changes \(changes) have no transaction") }
    }
    return found
  }

  private func rows(
    _ text: String,
    _ database: OpaquePointer
  ) -> (rows: [String], references: Set<String>) {
    var statement: OpaquePointer?
    guard sqlite3_prepare_v2(database, text, -1, &statement, nil) == SQLITE_OK else {
      return (["\(text): \(String(cString: sqlite3_errmsg(database)))"], [])
    }
    defer { sqlite3_finalize(statement) }
    var rows: [String] = []
    var references: Set<String> = []
    while true {
      let code = sqlite3_step(statement)
      if code == SQLITE_DONE { return (rows, references) }
      if code != SQLITE_ROW {
        return (rows + ["\(text): \(String(cString: sqlite3_errmsg(database)))"], references)
      }
      var row = ""
      for column in 0..<sqlite3_column_count(statement) {
        if sqlite3_column_type(statement, column) == SQLITE_BLOB {
          let bytes = UnsafeRawBufferPointer(
            start: sqlite3_column_blob(statement, column),
            count: Int(sqlite3_column_bytes(statement, column))
          )
          if bytes.count == 38, bytes[0] == 2 {
            references.insert(String(decoding: bytes[1..<37], as: UTF8.self))
          }
          var hasher = Hasher()
          hasher.combine(bytes: bytes)
          row += "\(bytes.count) bytes \(hasher.finalize())|"
        } else {
          row +=
            (sqlite3_column_text(statement, column).map { String(cString: $0) } ?? "NULL") + "|"
        }
      }
      rows.append(row)
    }
  }
}
