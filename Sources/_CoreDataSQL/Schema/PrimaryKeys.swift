// SPDX-License-Identifier: Apache-2.0

/// `Z_PRIMARYKEY`: the entity number, name and parent of each entity, and the last primary key used in each
/// hierarchy.
///
/// Source: observed, `docs/reference/sqlite-format.md`.
package enum PrimaryKeys {
  package static let table = "Z_PRIMARYKEY"
  /// The lowest of the entity numbers reserved for the framework's own tables, such as those of the history.
  package static let firstReservedNumber: Int64 = 16_000

  static let create = Statement(
    text: "CREATE TABLE \(table) "
      + "(Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)"
  )

  /// Returns a statement that adds an entity with 0 as its last primary key; `parent` is the parent's entity
  /// number, or 0 for a root.
  static func insert(_ entity: Int64, name: String, parent: Int64) -> Statement {
    SQL("INSERT \(row(entity, name, parent))").statement
  }

  /// Returns a statement that adds a root entity with 0 as its last primary key; the statement does nothing
  /// if the table already has the entity number.
  package static func insertIfMissing(_ entity: Int64, name: String) -> Statement {
    SQL("INSERT OR IGNORE \(row(entity, name, 0))").statement
  }

  private static func row(_ entity: Int64, _ name: String, _ parent: Int64) -> SQL {
    """
    INTO \(name: table)(Z_ENT, Z_NAME, Z_SUPER, Z_MAX) \
    VALUES(\(bind: .integer(entity)), \(bind: .text(name)), \(bind: .integer(parent)), 0)
    """
  }

  /// A query for the entity number, name, parent's entity number and last primary key of each entity, in the
  /// order of the entity numbers.
  package static let selectEntities = Statement(
    text: "SELECT Z_ENT, Z_NAME, Z_SUPER, Z_MAX FROM \(table) ORDER BY Z_ENT"
  )

  /// Returns a statement that selects the last primary key used in a hierarchy.
  ///
  /// The statement returns no row if `Z_MAX` is not an integer, or if `Z_PRIMARYKEY` lacks the entity.
  package static func selectWholeLastKey(of entity: Int64) -> Statement {
    let sql: SQL = """
      SELECT Z_MAX FROM \(name: table) \
      WHERE Z_ENT = \(bind: .integer(entity)) AND typeof(Z_MAX) = 'integer'
      """
    return sql.statement
  }

  /// Returns a statement that selects the highest primary key used in a hierarchy; `rows` is the hierarchy's
  /// table.
  ///
  /// The statement returns no row if `Z_PRIMARYKEY` lacks the entity.
  package static func selectHighestKey(of entity: Int64, in rows: String) -> Statement {
    let sql: SQL = """
      SELECT \(highest(in: rows)) FROM \(name: table) WHERE Z_ENT = \(bind: .integer(entity))
      """
    return sql.statement
  }

  /// The statements that reserve primary keys in one hierarchy.
  ///
  /// Every save of new objects runs these statements, so the texts are built once.
  package struct Reservation: Sendable {
    /// A query for the last primary key used in the hierarchy, as stored; it returns no row if `Z_PRIMARYKEY`
    /// lacks the entity.
    package let selectLastKey: Statement
    /// The entity number of the root entity (`Z_ENT`).
    package let entity: Int64
    private let update: String

    /// Creates the statements; `entity` is the root's entity number, and `rows` is the hierarchy's table.
    package init(for entity: Int64, in rows: String) {
      self.entity = entity
      let counted: SQL = """
        UPDATE \(name: table) SET Z_MAX = \(highest(in: rows)) + \(bind: .null) \
        WHERE Z_ENT = \(bind: .integer(entity))
        """
      update = counted.statement.text
      let lastKey: SQL = "SELECT Z_MAX FROM \(name: table) WHERE Z_ENT = \(bind: .integer(entity))"
      selectLastKey = lastKey.statement
    }

    /// Returns a statement that reserves `count` primary keys after the highest one used.
    package func reserve(_ count: Int64) -> Statement {
      Statement(text: update, bindings: [.integer(count), .integer(entity)])
    }
  }

  /// Returns a statement that sets the last primary key used in a hierarchy.
  package static func setLastKey(_ key: Int64, of entity: Int64) -> Statement {
    let sql: SQL = """
      UPDATE \(name: table) SET Z_MAX = \(bind: .integer(key)) \
      WHERE Z_ENT = \(bind: .integer(entity))
      """
    return sql.statement
  }

  /// The statement that removes the rows of the model's entities, and keeps those of the framework's own
  /// entities.
  static let deleteEntities = Statement(
    text: "DELETE FROM \(table) WHERE Z_ENT < \(firstReservedNumber)"
  )

  /// Returns a statement that removes the entities whose entity number is `number` or greater.
  package static func delete(from number: Int64) -> Statement {
    SQL("DELETE FROM \(name: table) WHERE Z_ENT >= \(bind: .integer(number))").statement
  }

  /// Returns an expression for the highest primary key used in a hierarchy, for a statement that reads or
  /// changes the root entity's row of `Z_PRIMARYKEY`.
  ///
  /// The expression does not rely on `Z_MAX` alone: in some real files, `Z_MAX` is less than the primary keys
  /// of the rows, and in damaged files, it can be NULL or a text, which SQLite orders after all numbers.
  private static func highest(in rows: String) -> SQL {
    "max(IFNULL(CAST(Z_MAX AS INTEGER), 0), (SELECT IFNULL(max(Z_PK), 0) FROM \(name: rows)))"
  }

  /// Returns an expression for the highest primary key ever used for an entity; 0 if there is none.
  ///
  /// The expression does not need a row of `Z_PRIMARYKEY`, and can be part of any statement. It considers
  /// `Z_MAX`, because primary keys of deleted rows are not used again: an empty history continues from
  /// `Z_MAX`.
  package static func highestOrZero(of entity: Int64, in rows: String) -> SQL {
    """
    max(IFNULL((SELECT CAST(Z_MAX AS INTEGER) FROM \(name: table) \
    WHERE Z_ENT = \(name: String(entity))), 0), \
    IFNULL((SELECT max(Z_PK) FROM \(name: rows)), 0))
    """
  }
}
