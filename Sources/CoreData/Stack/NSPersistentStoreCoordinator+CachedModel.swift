// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

extension NSPersistentStoreCoordinator {
  /// Returns the copy of its model that an SQLite store keeps: the model with which the store was created, or
  /// to which it was migrated last.
  ///
  /// Does not change the file. The options have no effect.
  /// - Throws: `NSPersistentStoreOperationError` (134070) if the store has no copy of its model, as stores of
  ///   Mac OS X 10.10, iOS 8 and earlier systems, or if the copy cannot be read; 134080 if the file does not
  ///   exist or cannot be opened; 259 if the file is not a Core Data store; other errors in
  ///   `NSCocoaErrorDomain` if the file cannot be read.
  /// - Source: documented, “cachedModelForPersistentStore(at:options:)”; the errors are the library's choice.
  public class func cachedModelForPersistentStore(
    at url: URL,
    options: [AnyHashable: Any]? = nil
  ) throws -> NSManagedObjectModel {
    let stored = try NSManagedObjectModel.readStored(at: url)
    if stored.source == .tables {
      throw coreDataError(
        NSPersistentStoreOperationError,
        "The store at \(url.path) has no copy of its model"
          + (stored.problem.map { " that can be read: \($0)" } ?? "")
          + ". NSManagedObjectModel(storedAt:) reconstructs a model for reading from the tables of the store."
      )
    }
    let model = NSManagedObjectModel(draft: stored.draft)
    model.sourceURL = url
    return model
  }
}
