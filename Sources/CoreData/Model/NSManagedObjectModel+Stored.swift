// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

extension NSManagedObjectModel {
  /// The model that the SQLite store at `url` was made with.
  ///
  /// Not in Apple's framework.
  ///
  /// ```swift
  /// let model = try NSManagedObjectModel(storedAt: url)
  /// let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
  /// ```
  /// The store's own model cache is taken; a store without
  /// one (of Mac OS X 10.10, iOS 8 and before) gives a model reconstructed from its tables, with a
  /// warning on the standard error: names are lower-case, and a coordinator opens the store read-only.
  /// Nothing in the file changes, and nothing appears beside it.
  /// - Throws: file errors and 134080 where it cannot be opened, 256 for a file that is no store.
  public convenience init(storedAt url: URL) throws {
    do {
      let stored = try StoredModel.read(path: url.path)
      do {
        try stored.draft.checkHierarchy()
      } catch {
        throw StoreError(.corrupt, "the store's entities make no model: \(error)", path: url.path)
      }
      self.init(draft: stored.draft)
      sourceURL = url
      if stored.source == .tables {
        isReconstructed = true
        Diagnostics.note(
          "the model of \(url.path) is reconstructed from its tables, to read only; "
            + (stored.problem.map { "its own cannot be read: \($0)" } ?? "the file keeps none")
        )
      }
    } catch let error as StoreError {
      throw cocoaError(error)
    }
  }
}
