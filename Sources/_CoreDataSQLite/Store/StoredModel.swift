// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// The model of a store's file, as read from the file.
///
///     let stored = try StoredModel.read(path: "Shop.sqlite")
///     let model = try ModelDefinition(stored.draft)
package struct StoredModel: Sendable {
  /// The origin of the model.
  package enum Source: Sendable, Hashable {
    /// The copy of the model that the framework stored in the file.
    case cache
    /// The tables of the file.
    ///
    /// Names of properties are lower-case; optional flags, inverses of to-ones, delete rules and inheritance
    /// of properties are unknown. Such a model can only be used for reading.
    case tables
  }

  package let draft: ModelDraft
  package let source: Source
  /// The reason why the file's copy of the model was not used.
  ///
  /// Nil if the copy was used, or if the file has no copy.
  package let problem: String?

  /// Reads the model without changing the file or creating files beside it.
  ///
  /// - Throws: `StoreError.cannotOpen` for a file that is missing or cannot be read; `.corrupt` if the file
  ///   is not a Core Data store.
  package static func read(path: String) throws -> StoredModel {
    let connection = try connection(path: path)
    let catalogue = StoreCatalogue(connection)
    var problem: String?
    if try catalogue.tables().contains(StoreCatalogue.modelCache) {
      do {
        if let draft = try cached(connection) {
          return StoredModel(draft: draft, source: .cache, problem: nil)
        }
      } catch {
        problem = "\(error)"
      }
    }
    let draft = try StoredTables(connection, path: path).draft()
    return StoredModel(draft: draft, source: .tables, problem: problem)
  }

  /// Opens a store's file for reading only, without creating files beside it.
  ///
  /// - Throws: as `read(path:)`.
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

  /// Returns the file's copy of its model; nil if the file has no copy.
  ///
  /// - Throws: `StoreError`, for example if the table of the copy is missing, and `ModelError` if the copy
  ///   cannot be read.
  static func cached(_ connection: Connection) throws -> ModelDraft? {
    try cachedCopy(connection)?.draft
  }

  /// Returns the file's copy of its model; nil if the file has no copy.
  ///
  /// - Throws: as `cached(_:)`.
  static func cachedCopy(_ connection: Connection) throws -> ModelCopy? {
    var content: Data?
    try connection.cached("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1").forEach { row in
      content = dataColumn(row, 0)
    }
    guard let content, !content.isEmpty else { return nil }
    if let known = ModelCopies.current?.copy(of: content) { return known }
    let draft = try ModelArchive.draft(compressed: content, predicates: PredicateTexts())
    let copy = ModelCopy(draft: draft, definition: try ModelDefinition(draft))
    ModelCopies.current?.add(copy, of: content)
    return copy
  }

  /// Adds a copy of `model` to the file's model cache, which must exist and be empty.
  ///
  /// - Throws: `StoreError`.
  static func writeCache(of model: ModelDefinition, _ connection: Connection) throws {
    // A model that cannot be archived, such as a model with composite attributes, has no copy in the file.
    guard let cache = try? ModelArchive.compressed(model, predicates: PredicateTexts()) else {
      return
    }
    try connection.execute("INSERT INTO Z_MODELCACHE(Z_CONTENT) VALUES(\(bind: .blob(cache)))")
  }
}
