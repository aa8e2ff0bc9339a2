// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

extension NSManagedObjectModel {
  /// Reads the model of the SQLite store at `url` from the store itself.
  ///
  /// Not in Apple's framework.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel(storedAt: url)
  /// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  /// ```
  /// The model comes from the store's model cache. Mac OS X 10.10, iOS 8 and earlier systems wrote no such
  /// cache. If the cache is missing or cannot be read, the model is reconstructed from the tables, and a
  /// warning is written to standard error. The property names of a reconstructed model are lower-case, and a
  /// coordinator opens the store read-only with such a model. The store file is not changed, and no files are
  /// created beside it.
  /// - Throws: 134080 if the file does not exist or cannot be opened; 259 if the file is not a Core Data
  ///   store or its entities do not form a valid model; other errors in `NSCocoaErrorDomain` if the file
  ///   cannot be read.
  public convenience init(storedAt url: URL) throws {
    let stored = try Self.readStored(at: url)
    self.init(draft: stored.draft)
    sourceURL = url
    if stored.source == .tables {
      isReconstructed = true
      Diagnostics.note(
        "the store at \(url.path) has no model cache that can be read"
          + (stored.problem.map { " (\($0))" } ?? "")
          + ", so its model was reconstructed from its tables. With this model the store can only be read; "
          + "to write to the store, open it with the model that created it."
      )
    }
  }

  /// Reads the model of the SQLite store at `url`, and checks that its entities form a hierarchy.
  ///
  /// - Throws: the errors of `init(storedAt:)`.
  static func readStored(at url: URL) throws -> StoredModel {
    do {
      let stored = try StoredModel.read(path: url.path)
      do {
        try stored.draft.checkHierarchy()
      } catch {
        throw StoreError(
          .corrupt,
          "the store's entities do not form a valid model: \(error)",
          path: url.path
        )
      }
      return stored
    } catch let error as StoreError {
      throw cocoaError(error)
    }
  }
}
