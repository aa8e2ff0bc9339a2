// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// The model of a store, read from the store's file.
///
///     let stored = try StoredModel.read(path: "Shop.sqlite")
///     let model = try ModelDefinition(stored.draft)
package struct StoredModel: Sendable {
  /// The source from which a model was read.
  package enum Source: Sendable, Hashable {
    /// The copy of the model in the file.
    case cache
    /// The tables of the file, from which the model was reconstructed.
    ///
    /// Property names are in lower case. Optional flags, inverses of to-ones, delete rules and the entities
    /// that declare inherited properties are unknown. Such a model can only be used for reading.
    case tables
  }

  package let draft: ModelDraft
  package let source: Source
  /// The reason why the copy of the model in the file could not be used; nil if the copy was used, or if the
  /// file has no copy.
  package let problem: String?

  /// Reads the model without changing the file or creating files beside it.
  ///
  /// - Throws: `StoreError.cannotOpen` for a file that is missing or cannot be read; `.corrupt` if the file
  ///   is not a Core Data store; other errors if reading the file fails.
  package static func read(path: String) throws -> StoredModel {
    let connection = try connection(path: path)
    let catalogue = StoreCatalogue(connection)
    var problem: String?
    if try catalogue.tables().contains(StoreCatalogue.modelCache) {
      do {
        if let copy = try copy(connection) {
          return StoredModel(draft: copy.draft, source: .cache, problem: nil)
        }
      } catch let error where isAbsence(error) {
        problem = "\(error)"
      }
    }
    let draft = try StoredTables(connection, path: path).draft()
    return StoredModel(draft: draft, source: .tables, problem: problem)
  }

  /// Opens a store's file read-only, without creating files beside it.
  ///
  /// - Throws: the same errors as `read(path:)`.
  static func connection(path: String) throws -> Connection {
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = true
    options.leavesNoTrace = true
    options.timeout = 5
    try DatabaseFile.requireExisting(path, engineCode: SQLITE_CANTOPEN)
    let connection = try Connection(options, isReader: true)
    try StoreCatalogue(connection).requireStore()
    return connection
  }

  /// Returns the copy of the model in the file; nil if there is no copy.
  ///
  /// - Throws: `StoreError` if SQLite fails, for example because the copy's table is missing; `ModelError` if
  ///   the copy cannot be read.
  static func copy(
    _ connection: Connection,
    _ resources: MigrationResources? = nil
  ) throws -> ModelCopy? {
    var content: Data?
    try connection.cached("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1").forEach { row in
      content = dataColumn(row, 0)
    }
    guard let content, !content.isEmpty else { return nil }
    func read() throws -> ModelCopy {
      let draft = try ModelArchive.draft(compressed: content, predicates: PredicateTexts())
      return ModelCopy(draft: draft, definition: try ModelDefinition(draft))
    }
    return try resources?.copy(of: content, read) ?? read()
  }

  /// Returns whether an error of `copy(_:_:)` means that the file has no usable copy.
  ///
  /// Returns false if the copy could not be read at this moment, for example because the file is locked: the
  /// file may have a copy, and a model that is reconstructed from the tables lacks much of it.
  static func isAbsence(_ error: any Error) -> Bool {
    guard let error = error as? StoreError else { return true }
    return error.code == .corrupt || error.engineCode.map { $0 & 0xFF } == SQLITE_ERROR
  }

  static func writeCache(of model: ModelDefinition, _ connection: Connection) throws {
    // The copy is optional, because some models, such as those with composite attributes, cannot be archived.
    guard let cache = try? ModelArchive.compressed(model, predicates: PredicateTexts()) else {
      return
    }
    try connection.execute("INSERT INTO Z_MODELCACHE(Z_CONTENT) VALUES(\(bind: .blob(cache)))")
  }
}
