// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQL

/// Keeps the files that inserts take from stored rows where they become part of them.
///
/// Which row an insert overwrites is known to the engine alone, so a trigger that only the writing
/// connection sees collects the names. It lives as long as the transaction needs it.
struct ReplacedFiles {
  private static let table = "CDReplaced"
  private let connection: Connection
  private let triggers: [(name: String, column: String)]

  /// Nil where the entity has no values in files of their own.
  ///
  /// - Throws: the engine's errors.
  init?(of entity: Int, store: SQLiteStore, connection: Connection) throws {
    triggers = store.texts.tagged[entity].map { ("\(Self.table)_\(entity)_\($0.name)", $0.name) }
    self.connection = connection
    if triggers.isEmpty { return nil }
    let rows = store.layout.entities[entity].table
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS \(Self.table)(VALUE BLOB)")
    for (name, column) in triggers {
      try connection.execute(
        "CREATE TEMP TRIGGER \(name) "
          + "AFTER UPDATE OF \(column) ON main.\(rows) "
          + "WHEN substr(OLD.\(column), 1, 1) = x'02' AND NEW.\(column) IS NOT OLD.\(column) "
          + "BEGIN INSERT INTO \(Self.table) VALUES (OLD.\(column)); END"
      )
    }
  }

  /// Notes that no row needs the files any more, and stops watching.
  ///
  /// - Throws: the engine's errors.
  func finish(_ files: ExternalFiles) throws {
    try files.discard(connection.statement("SELECT VALUE FROM temp.\(Self.table)"))
    for trigger in triggers { try connection.execute("DROP TRIGGER temp.\(trigger.name)") }
    try connection.execute("DELETE FROM temp.\(Self.table)")
  }
}
