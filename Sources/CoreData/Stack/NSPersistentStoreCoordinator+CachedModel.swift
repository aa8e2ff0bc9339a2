// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataSQLite

extension NSPersistentStoreCoordinator {
  /// Returns the copy of the model that an SQLite store contains: the model with which the store was created,
  /// or to which the store was last migrated.
  ///
  /// Does not change the file. The options have no effect.
  /// - Throws: `NSPersistentStoreOperationError` (134070) if the store contains no copy of its model, or if
  ///   the copy cannot be read; Mac OS X 10.10, iOS 8 and earlier systems wrote no copy. 134080 if the file
  ///   does not exist or cannot be opened; 259 if the file is not a Core Data store; other errors in
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
          + ". Use NSManagedObjectModel(storedAt:), which reconstructs a model from the store's tables."
      )
    }
    let model = NSManagedObjectModel(draft: stored.draft)
    model.sourceURL = url
    return model
  }
}
