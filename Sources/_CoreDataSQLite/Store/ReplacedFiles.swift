// SPDX-License-Identifier: Apache-2.0

import _CoreDataSQL

/// Collects the files that become obsolete when inserts overwrite stored rows.
///
/// Only SQLite knows which row an insert overwrites, so temporary triggers record the file names in a
/// temporary table. The triggers exist only while the transaction needs them.
struct ReplacedFiles {
  private static let table = "CDReplaced"
  private let connection: Connection
  private let triggers: [(name: String, column: String)]

  /// Creates a trigger for each attribute that allows external storage; nil if the entity has no such
  /// attribute.
  ///
  /// - Throws: `StoreError` if SQLite fails.
  init?(of entity: Int, store: SQLiteStore, connection: Connection) throws {
    triggers = store.layout.entities[entity].columns.filter(\.isTagged)
      .map { ("\(Self.table)_\(entity)_\($0.name)", $0.name) }
    self.connection = connection
    if triggers.isEmpty { return nil }
    let rows = store.layout.entities[entity].table
    try connection.execute("CREATE TEMP TABLE IF NOT EXISTS \(name: Self.table)(VALUE BLOB)")
    for (name, column) in triggers {
      try connection.execute(
        """
        CREATE TEMP TRIGGER \(name: name) AFTER UPDATE OF \(name: column) ON main.\(name: rows) \
        WHEN substr(\(column: column, of: "OLD"), 1, 1) = x'02' \
        AND \(column: column, of: "NEW") IS NOT \(column: column, of: "OLD") \
        BEGIN INSERT INTO \(name: Self.table) VALUES (\(column: column, of: "OLD")); END
        """
      )
    }
  }

  /// Marks the collected files as obsolete, and removes the triggers.
  ///
  /// - Throws: `StoreError` if SQLite fails.
  func finish(_ files: ExternalFiles) throws {
    try files.discard(connection.statement("SELECT VALUE FROM temp.\(name: Self.table)"))
    for trigger in triggers {
      try connection.execute("DROP TRIGGER temp.\(name: trigger.name)")
    }
    try connection.execute("DELETE FROM temp.\(name: Self.table)")
  }
}
