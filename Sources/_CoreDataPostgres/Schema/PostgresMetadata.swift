// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// The tables with the store's metadata, its model and the numbers of its entities.
struct PostgresMetadata {
  let connection: PostgresConnection

  struct Content {
    var identifier: String
    var metadata: StoreMetadata
    var version: Int64
  }

  static let create =
    "CREATE TABLE IF NOT EXISTS z_metadata (z_version integer PRIMARY KEY, z_uuid text NOT NULL, "
    + "z_plist bytea NOT NULL)"

  private var path: String { connection.address.description }

  /// Whether the schema has a table, by default that of the metadata.
  func exists(_ table: String = "z_metadata") throws -> Bool {
    let name = PostgresName.quoted(connection.address.schema) + "." + table
    return try connection.run("SELECT to_regclass($1) IS NOT NULL", PostgresFields([.text(name)]))
      .integer(0, 0) != 0
  }

  /// Returns the metadata; nil if the table is empty.
  ///
  /// - Throws: `StoreError.corrupt` if the property list is damaged; `.cannotOpen` for a store of a later
  ///   version of this library.
  func read() throws -> Content? {
    let rows = try connection.run("SELECT z_version, z_uuid, z_plist FROM z_metadata")
    return rows.rowCount == 0 ? nil : try content(rows)
  }

  private func content(_ rows: PostgresResult) throws -> Content {
    let version = rows.integer(0, 0)
    if version > PostgresSchema.version {
      throw StoreError(
        .cannotOpen,
        "a later version of this library has created the store: its schema has the version \(version), and "
          + "this library knows version \(PostgresSchema.version); use the later version",
        path: path
      )
    }
    let identifier = rows.text(0, 1) ?? ""
    do {
      var metadata = try StoreMetadata(propertyList: rows.data(0, 2) ?? Data())
      metadata.values[StoreMetadata.uuidKey] = identifier
      return Content(identifier: identifier, metadata: metadata, version: version)
    } catch {
      throw StoreError(
        .corrupt,
        "the store's metadata (z_plist in z_metadata) cannot be read: \(error)",
        path: path
      )
    }
  }

  /// Returns the metadata.
  ///
  /// - Throws: as `read()`; `StoreError.corrupt` if the table is empty.
  func require() throws -> Content {
    if let content = try read() { return content }
    throw noRow
  }

  /// Returns the metadata and the archive of the model, nil if there is none.
  ///
  /// One statement reads both, because a migration by another program between two statements would change the
  /// model.
  ///
  /// - Throws: as `require()`.
  func requireWithModel() throws -> (Content, model: Data?) {
    let rows = try connection.run(
      "SELECT z_version, z_uuid, z_plist, (SELECT z_content FROM z_model LIMIT 1) FROM z_metadata"
    )
    if rows.rowCount == 0 { throw noRow }
    return (try content(rows), model: rows.data(0, 3))
  }

  private var noRow: StoreError {
    StoreError(.corrupt, "the store has no metadata: z_metadata has no row", path: path)
  }

  /// Writes the row of the metadata.
  ///
  /// - Throws: `CocoaError.propertyListWriteInvalid` for a value that a property list cannot hold.
  func write(_ metadata: StoreMetadata, identifier: String) throws {
    var values = metadata.values
    values[StoreMetadata.uuidKey] = nil
    let plist = try StoreMetadata(values).propertyList()
    try connection.run(
      "INSERT INTO z_metadata (z_version, z_uuid, z_plist) VALUES ($1, $2, $3) "
        + "ON CONFLICT (z_version) DO UPDATE SET z_uuid = excluded.z_uuid, z_plist = excluded.z_plist",
      PostgresFields([.integer(PostgresSchema.version), .text(identifier), .blob(plist)])
    )
  }

  /// Replaces the application's entries; the framework's entries do not change.
  func replaceOwn(by metadata: StoreMetadata) throws {
    try connection.transaction {
      try connection.execute("LOCK TABLE z_metadata IN EXCLUSIVE MODE")
      let stored = try require()
      try write(stored.metadata.replacingOwn(by: metadata), identifier: stored.identifier)
    }
  }

  /// Returns the numbers of the entities by their names.
  func numbers() throws -> [String: Int64] {
    let rows = try connection.run("SELECT z_name, z_ent FROM z_entities")
    return Dictionary(
      (0..<rows.rowCount).map { (rows.text($0, 0) ?? "", rows.integer($0, 1)) },
      uniquingKeysWith: { first, _ in first }
    )
  }

  /// Keeps a copy of the model, with which a later version of the program can migrate the store.
  func write(_ model: ModelDefinition) throws {
    // The copy is optional, because some models, such as those with composite attributes, cannot be archived.
    guard let copy = try? ModelArchive.compressed(model, predicates: PredicateTexts()) else {
      return
    }
    try connection.run("INSERT INTO z_model (z_content) VALUES ($1)", PostgresFields([.blob(copy)]))
  }

  /// Returns the copy of the model; nil if there is no copy, or if it cannot be read.
  func model() throws -> ModelDefinition? {
    let rows = try connection.run("SELECT z_content FROM z_model LIMIT 1")
    guard rows.rowCount == 1, let copy = rows.data(0, 0) else { return nil }
    // Without the copy, models are compared by their version hashes.
    return try? ModelDefinition(ModelArchive.draft(compressed: copy, predicates: PredicateTexts()))
  }
}
#endif
