// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataStore

struct MetadataTable {
  private let connection: Connection
  init(_ connection: Connection) { self.connection = connection }

  typealias Content = (identifier: String, metadata: StoreMetadata)

  /// Returns the store's UUID and metadata.
  ///
  /// If `Z_PLIST` is NULL, the metadata contains only the UUID and the store type.
  /// - Throws: `StoreError.corrupt` if the row or its UUID is missing, or if the property list is damaged.
  func read(path: String) throws -> Content {
    var hasRow = false
    var identifier: String?
    var plist: Data?
    try connection.cached("SELECT Z_UUID, Z_PLIST FROM Z_METADATA WHERE Z_VERSION = 1")
      .forEach { row in
        hasRow = true
        identifier = textColumn(row, 0)
        plist = dataColumn(row, 1)
      }
    guard let identifier else {
      throw StoreError(
        .corrupt,
        hasRow
          ? "the store has no UUID: Z_UUID is NULL in Z_METADATA"
          : "the store has no metadata: Z_METADATA has no row with Z_VERSION 1",
        path: path
      )
    }
    var values: [String: Any] = [:]
    if let plist {
      do {
        values = try StoreMetadata(propertyList: plist).values
      } catch {
        throw StoreError(
          .corrupt,
          "the store's metadata (Z_PLIST in Z_METADATA) cannot be read: \(error)",
          path: path
        )
      }
    }
    values[StoreMetadata.uuidKey] = identifier
    values[StoreMetadata.typeKey] = values[StoreMetadata.typeKey] ?? "SQLite"
    return (identifier, StoreMetadata(values))
  }

  /// Replaces the store's UUID and metadata.
  ///
  /// - Throws: `CocoaError.propertyListWriteInvalid` for a value that a property list cannot hold;
  ///   `StoreError` if SQLite fails.
  func write(_ metadata: StoreMetadata, identifier: String) throws {
    var values = metadata.values
    values[StoreMetadata.uuidKey] = nil
    let plist = try StoreMetadata(values).propertyList()
    try connection.execute(
      """
      INSERT OR REPLACE INTO Z_METADATA(Z_VERSION, Z_UUID, Z_PLIST) \
      VALUES(1, \(bind: .text(identifier)), \(bind: .blob(plist)))
      """
    )
  }

  /// Replaces the application's entries in the metadata; the framework's entries do not change.
  ///
  /// - Throws: the errors of `read(path:)` and `write(_:identifier:)`.
  func replaceOwn(by metadata: StoreMetadata, path: String) throws {
    let (identifier, stored) = try read(path: path)
    var values = stored.values.filter { StoreMetadata.isReserved($0.key) }
    for (key, value) in metadata.values where !StoreMetadata.isReserved(key) { values[key] = value }
    try write(StoreMetadata(values), identifier: identifier)
  }

  /// Replaces the entries that describe the model, and keeps all other entries.
  ///
  /// `content` is the content of the table. `isUnfinished` is true if a deferred migration has left tables or
  /// columns to be dropped later.
  ///
  /// - Throws: the errors of `write(_:identifier:)`.
  func replaceModel(
    of content: Content,
    by model: ModelDefinition,
    entities: Set<String>?,
    isUnfinished: Bool = false
  ) throws {
    let stored = content.metadata
    var new = Self.initial(model, entities: entities).values
    new[StoreMetadata.autoVacuumKey] = stored.values[StoreMetadata.autoVacuumKey]
    var values = stored.values.merging(new) { _, new in new }
    values[StoreMetadata.deferredKey] = isUnfinished ? true : nil
    try write(StoreMetadata(values), identifier: content.identifier)
  }

  /// Removes the mark of an unfinished deferred migration.
  ///
  /// - Throws: the errors of `read(path:)` and `write(_:identifier:)`.
  func removeDeferredMark(path: String) throws {
    var (identifier, stored) = try read(path: path)
    stored.values[StoreMetadata.deferredKey] = nil
    try write(stored, identifier: identifier)
  }

  static func initial(_ model: ModelDefinition, entities: Set<String>? = nil) -> StoreMetadata {
    var metadata = StoreMetadata.initial(model, type: "SQLite", entities: entities)
    metadata.values[StoreMetadata.autoVacuumKey] = "2"
    return metadata
  }
}
