// SPDX-License-Identifier: Apache-2.0

import CCoreDataSQLite
import Foundation
import _CoreDataModel
import _CoreDataPredicate
import _CoreDataSQL
import _CoreDataStore

/// The model that a store's file says it has.
///
///     let stored = try StoredModel.read(path: "Shop.sqlite")
///     let model = try ModelDefinition(stored.draft)
package struct StoredModel: Sendable {
  /// Where the model was found.
  package enum Source: Sendable, Hashable {
    /// The model that the writing framework kept in the file.
    case cache
    /// The tables: names are lower-case, optional flags, inverses of to-ones, delete rules and
    /// inheritance of properties are not known; only good for reading.
    case tables
  }

  package let draft: ModelDraft
  package let source: Source
  /// Why the file's own model was not taken; nil where it was, or there is none.
  package let problem: String?

  /// Reads the model; nothing in the file changes, and nothing appears beside it.
  ///
  /// - Throws: `StoreError.cannotOpen`, `.corrupt` where the file is no Core Data store.
  package static func read(path: String) throws -> StoredModel {
    var options = SQLiteStoreOptions(path: path)
    options.isReadOnly = true
    options.leavesNoTrace = true
    options.timeout = 5
    guard FileManager.default.fileExists(atPath: path) else {
      throw StoreError(
        .cannotOpen,
        "the file does not exist",
        engineCode: SQLITE_CANTOPEN,
        path: path
      )
    }
    let connection = try Connection(options, isReader: true)
    let catalogue = StoreCatalogue(connection)
    try catalogue.requireStore()
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

  /// The model that the file keeps; nil where it keeps none.
  ///
  /// - Throws: `StoreError`, `ModelError` where it cannot be read.
  static func cached(_ connection: Connection) throws -> ModelDraft? {
    var content: Data?
    try connection.cached("SELECT Z_CONTENT FROM Z_MODELCACHE LIMIT 1").forEach { row in
      content = dataColumn(row, 0)
    }
    guard let content, !content.isEmpty else { return nil }
    let draft = try ModelArchive.draft(compressed: content, predicates: PredicateTexts())
    _ = try ModelDefinition(draft)
    return draft
  }
}
