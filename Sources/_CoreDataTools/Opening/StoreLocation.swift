// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

#if PostgreSQL
import _CoreDataPostgres
#endif

/// The place and type of a store that a command reads or writes.
package struct StoreLocation {
  package let url: URL
  package let type: NSPersistentStore.StoreType
  /// The path, or the URL without its password.
  package var text: String { url.isFileURL ? url.path : url.withoutPassword }

  /// Returns the URL that the text of an argument names: that of a database, or of a file.
  package static func url(_ text: String) -> URL {
    if text.contains("://"), let url = URL(string: text), url.isDatabaseServer { return url }
    return URL(fileURLWithPath: text)
  }

  /// The type of an existing store, which its content tells.
  ///
  /// - Throws: `ToolError` if the file does not exist or is not a store.
  package init(existing url: URL) throws {
    self.url = url
    if url.isDatabaseServer {
      type = .postgreSQL
      return
    }
    guard FileManager.default.fileExists(atPath: url.path) else {
      throw ToolError("\(url.path): there is no file at this path")
    }
    if ModelOpening.isStore(url) {
      type = .sqlite
      return
    }
    let found = [NSPersistentStore.StoreType.xml, .binary].first { type in
      // The error is dropped: a file of another type.
      (try? NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)) != nil
    }
    guard let found else {
      throw ToolError("\(url.path): the file is not an SQLite, XML or binary store")
    }
    type = found
  }

  /// The type of a store to create: by its name, else by the scheme or extension of the URL; SQLite for any
  /// other extension.
  ///
  /// - Throws: `ToolError` for an unknown name, or for a name that does not fit the URL.
  package init(new url: URL, type name: String?) throws {
    self.url = url
    let types: [String: NSPersistentStore.StoreType] = [
      "sqlite": .sqlite, "xml": .xml, "binary": .binary, "postgresql": .postgreSQL,
    ]
    guard let name = name?.lowercased() else {
      type =
        url.isDatabaseServer
        ? .postgreSQL : ["xml": .xml, "binary": .binary][url.pathExtension.lowercased()] ?? .sqlite
      return
    }
    guard let found = types[name] else {
      throw ToolError(
        "there is no type of stores “\(name)”",
        hint: "The types are sqlite, xml, binary and postgresql."
      )
    }
    guard (found == .postgreSQL) == url.isDatabaseServer else {
      throw ToolError(
        "a store of the type \(name) cannot be at \(url.withoutPassword)",
        hint: "The URL of a PostgreSQL store is postgresql://user@host/database?schema=name."
      )
    }
    type = found
  }

  /// Returns the metadata of the store.
  ///
  /// - Throws: `StoreError`, errors of `NSCocoaErrorDomain`.
  package func metadata() throws -> StoreMetadata {
    if type == .sqlite { return try StoreFile(path: url.path, access: .untouched).metadata() }
    let values = try NSPersistentStoreCoordinator.metadataForPersistentStore(type: type, at: url)
    return StoreMetadata(values)
  }

  /// Returns the copy of the model in the store; nil if there is no readable and valid copy.
  package func storedModel() -> ModelDefinition? {
    #if PostgreSQL
    if type == .postgreSQL {
      // The error is dropped: without this model, error texts still name the changed entities.
      let draft = try? PostgresInspection(PostgresAddress(url.absoluteString)).model
      // The error is dropped: an invalid copy is treated as a missing copy.
      return draft.flatMap { try? ModelDefinition($0) }
    }
    #endif
    return type == .sqlite ? ModelOpening.cachedModel(in: url.path) : nil
  }

  /// Returns whether there is something at the location that a new store would replace: a store with objects,
  /// or another file that is not empty.
  ///
  /// - Throws: `StoreError`.
  func holdsSomething() throws -> Bool {
    #if PostgreSQL
    if type == .postgreSQL {
      return try PostgresStore.hasObjects(
        PostgresStoreOptions(address: PostgresAddress(url.absoluteString))
      )
    }
    #endif
    guard let data = FileManager.default.contents(atPath: url.path), !data.isEmpty else {
      return FileManager.default.fileExists(atPath: url.path)
        && FileManager.default.contents(atPath: url.path) == nil
    }
    if type != .sqlite || !ModelOpening.isStore(url) { return true }
    let file = try StoreFile(path: url.path, access: .untouched)
    return try file.schema().columns.contains { table, columns in
      if !Set(["Z_PK", "Z_ENT", "Z_OPT"]).isSubset(of: columns) { return false }
      return try file.integer("SELECT EXISTS (SELECT 1 FROM \(table))") != 0
    }
  }
}
