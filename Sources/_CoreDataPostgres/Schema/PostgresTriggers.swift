// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import _CoreDataSQL

/// The triggers by which a store notices what other programs write.
///
/// An update by another program raises the version of the row, so that a save of the same object is a conflict,
/// and every write by another program notifies the stores that watch. The changes of derived attributes do not raise
/// versions. The sessions of this library set
/// `coredata.writer`, and do both themselves.
struct PostgresTriggers {
  let layout: Layout

  static let functions = ["z_raise_version", "z_notify"]
  private static let isOther = "coalesce(current_setting('coredata.writer', true), '') = ''"

  var statements: [String] {
    [
      """
      CREATE FUNCTION z_raise_version() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN NEW.z_opt := OLD.z_opt + 1; RETURN NEW; END'
      """,
      """
      CREATE FUNCTION z_notify() RETURNS trigger LANGUAGE plpgsql AS \
      'BEGIN PERFORM pg_notify(''z_'' || (SELECT relnamespace FROM pg_class WHERE oid = TG_RELID), ''''); \
      RETURN NULL; END'
      """,
    ]
      + layout.tables.map { table in
        "CREATE TRIGGER z_raise_version BEFORE UPDATE ON \(table.name) FOR EACH ROW "
          + "WHEN (NEW.z_opt = OLD.z_opt AND pg_trigger_depth() = 0 AND \(Self.isOther)) EXECUTE FUNCTION z_raise_version()"
      }
      + (layout.tables.map(\.name) + layout.joins.map(\.name)).map { table in
        "CREATE TRIGGER z_notify AFTER INSERT OR UPDATE OR DELETE OR TRUNCATE ON \(table) "
          + "FOR EACH STATEMENT WHEN (\(Self.isOther)) EXECUTE FUNCTION z_notify()"
      } + ServerDerivations(layout).statements
  }
}
#endif
