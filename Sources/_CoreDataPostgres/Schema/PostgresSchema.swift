// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// The statements that create the tables, indexes and foreign keys of a new store.
///
/// The names are in the layout; `docs/postgresql.md` describes the schema.
struct PostgresSchema {
  /// The version of the schema's form, which the store records.
  static let version: Int64 = 1
  /// The number of primary keys that one call of a sequence reserves.
  static let block: Int64 = 100

  let layout: Layout
  /// The tables of a store besides those of its model.
  static let ownTables = ["z_metadata", "z_model", "z_entities", "z_tables", PostgresMarks.table]
  /// The table with the versions of the model from which the store was migrated.
  static let versions = "z_versions"

  private var model: ModelDefinition { layout.model }

  init(_ layout: Layout) { self.layout = layout }

  var statements: [String] { tables + rules }

  /// The statements that create the tables, without foreign keys, indexes and triggers.
  var tables: [String] {
    Self.bookkeeping + entries + layout.tables.map(create) + layout.joins.map(create)
  }

  /// The statements that create foreign keys, indexes and triggers.
  var rules: [String] {
    layout.references.map(reference) + layout.tables.flatMap(indexes)
      + layout.joins.map { "CREATE INDEX ON \($0.name) (\($0.columns[1]), \($0.columns[0]))" }
      + PostgresTriggers(layout: layout).statements
  }

  /// The statements that change the tables of another version of the model, after which `rules` follow.
  func statements(_ alteration: ServerAlteration) -> [String] {
    ["SET CONSTRAINTS ALL IMMEDIATE"] + alteration.deletions + [Self.dropRules]
      + alteration.changes + alteration.newTables.map(create) + alteration.newJoins.map(create)
      + alteration.additions + ["TRUNCATE z_entities, z_tables, z_model"] + entries
  }

  /// Drops the foreign keys and indexes of the store's tables, besides their primary keys.
  private static let dropRules = """
    DO $z$DECLARE r record; BEGIN \
    FOR r IN SELECT c.conrelid::regclass AS place, c.conname AS name FROM pg_constraint AS c \
    JOIN z_tables AS z ON c.conrelid = to_regclass(z.z_name) WHERE c.contype = 'f' \
    LOOP EXECUTE format('ALTER TABLE %s DROP CONSTRAINT %I', r.place, r.name); END LOOP; \
    FOR r IN SELECT i.indexrelid::regclass AS name FROM pg_index AS i \
    JOIN z_tables AS z ON i.indrelid = to_regclass(z.z_name) WHERE NOT i.indisprimary \
    AND NOT EXISTS (SELECT 1 FROM pg_constraint AS c WHERE c.conindid = i.indexrelid) \
    LOOP EXECUTE format('DROP INDEX %s', r.name); END LOOP; END$z$
    """

  /// Drops the triggers and functions of the store.
  ///
  /// - Throws: `StoreError.busy` if another connection holds a lock.
  static func dropFunctions(_ connection: PostgresConnection) throws {
    let derived = try connection.run(
      "SELECT proname FROM pg_proc WHERE pronamespace = to_regnamespace(quote_ident(current_schema())) "
        + "AND proname ~ '^\(ServerDerivations.prefix)[0-9]+$'"
    )
    let functions =
      PostgresTriggers.functions + (0..<derived.rowCount).compactMap { derived.text($0, 0) }
    try connection.execute(
      functions.map { "DROP FUNCTION IF EXISTS \($0)() CASCADE" }.joined(separator: "; ")
    )
  }

  /// Drops the tables and functions of the store, and keeps the schema.
  ///
  /// - Throws: `StoreError.busy` if another connection holds a lock.
  static func drop(_ connection: PostgresConnection, keepsHistory: Bool = false) throws {
    let metadata = PostgresMetadata(connection: connection)
    var tables = ownTables + (keepsHistory ? [] : PostgresHistoryTables.names + [versions])
    if try metadata.exists("z_tables") {
      let rows = try connection.run("SELECT z_name FROM z_tables")
      // The names are identifiers in quotes already.
      tables += (0..<rows.rowCount).compactMap { rows.text($0, 0) }
    }
    try connection.execute("DROP TABLE IF EXISTS \(tables.joined(separator: ", "))")
    try dropFunctions(connection)
  }

  private static let bookkeeping = [
    "CREATE TABLE z_entities (z_ent integer PRIMARY KEY, z_name text NOT NULL UNIQUE, z_super integer)",
    "CREATE TABLE z_model (z_content bytea NOT NULL)",
    "CREATE TABLE z_tables (z_name text PRIMARY KEY)",
    PostgresMarks.create,
  ]

  /// The statements that write the names of entities and tables.
  private var entries: [String] {
    model.entities.map { entity in
      let parent = entity.parent.map { "\(layout.entities[$0].number)" } ?? "NULL"
      return "INSERT INTO z_entities (z_ent, z_name, z_super) "
        + "VALUES (\(layout.entities[entity.index].number), \(PostgresName.literal(entity.name)), \(parent))"
    }
      + (layout.tables.map(\.name) + layout.joins.map(\.name)).map {
        "INSERT INTO z_tables (z_name) VALUES (\(PostgresName.literal($0)))"
      }
  }

  private func create(_ table: TableLayout) -> String {
    let number = layout.entities[table.root]
    // Rows that other programs insert into the table of a single entity need not name the entity.
    let entity =
      number.sharesTable
      ? "z_ent integer NOT NULL" : "z_ent integer NOT NULL DEFAULT \(number.number)"
    let columns = table.columns.map { ", \($0.name) \($0.type)" }.joined()
    return "CREATE TABLE \(table.name) (z_pk bigint GENERATED BY DEFAULT AS IDENTITY "
      + "(INCREMENT BY \(Self.block) MINVALUE 1 MAXVALUE \(ObjectKey.maximumNumber - Self.block)) PRIMARY KEY, "
      + "\(entity), z_opt bigint NOT NULL DEFAULT 1\(columns))"
  }

  private func create(_ join: JoinLayout) -> String {
    let keys = join.columns.prefix(2).map { "\($0) bigint NOT NULL" }
    let orders = join.columns.dropFirst(2).map { "\($0) bigint" }
    return "CREATE TABLE \(join.name) (\((keys + orders).joined(separator: ", ")), "
      + "PRIMARY KEY (\(join.columns[0]), \(join.columns[1])))"
  }

  private func reference(_ reference: ServerReference) -> String {
    "ALTER TABLE \(reference.table) ADD FOREIGN KEY (\(reference.column)) "
      + "REFERENCES \(reference.destination) (z_pk) "
      + "ON DELETE \(reference.isJoin ? "CASCADE" : "SET NULL") DEFERRABLE INITIALLY DEFERRED"
  }

  private func indexes(_ table: TableLayout) -> [String] {
    let family = model.entities[table.root].family.map { model.entities[$0] }
    var lists = layout.references.filter { $0.table == table.name && !$0.isJoin }.map(\.column)
    if family.count > 1 { lists.append("z_ent") }
    var indexes = lists.map { "CREATE INDEX ON \(table.name) (\($0))" }
    for entity in family {
      indexes += entity.fetchIndexes.compactMap { index($0, of: entity) }
      indexes += entity.ownUniquenessConstraints.compactMap { names in
        let columns = names.compactMap { entity.slotByName[$0] }
          .compactMap { layout.entities[entity.index].column($0)?.names }
        if columns.isEmpty || columns.count != names.count { return nil }
        return "CREATE UNIQUE INDEX ON \(table.name) (\(columns.joined().joined(separator: ", ")))"
      }
    }
    var seen: Set<String> = []
    return indexes.filter { seen.insert($0).inserted }
  }

  /// Returns the statement for a fetch index; nil for an index that is not created.
  private func index(_ index: FetchIndexDefinition, of entity: EntityDefinition) -> String? {
    guard let statement = layout.serverStatement(index, of: entity) else { return nil }
    if index.partialPredicate == nil, !index.elements.contains(where: \.isExpression) {
      return statement
    }
    // The server refuses an expression whose value could change; the store then has no such index.
    return "DO $z$BEGIN \(statement); EXCEPTION WHEN invalid_object_definition THEN NULL; END$z$"
  }
}
#endif
