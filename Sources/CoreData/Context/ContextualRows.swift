// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The rows of a custom store, whose class receives contexts and their objects.
///
/// The methods of `RowStore` work without a context of the program: each call creates a context, which lasts
/// until the call returns.
protocol ContextualRows: RowStore {
  /// Returns a view of these rows that passes `context` to the store's class; use it on the context's queue.
  ///
  /// `request` is the request that the program executes; it supplies the settings that a `FetchDescription`
  /// does not have. Pass nil if no request of the program caused the call.
  func view(
    for context: NSManagedObjectContext,
    executing request: NSFetchRequest<NSFetchRequestResult>?
  ) -> any RowStore

  /// Returns the permanent keys that the store's class assigns to new objects of a context, in the order of
  /// `objects`.
  ///
  /// - Throws: errors of the class.
  func permanentKeys(for objects: [NSManagedObject]) throws -> [ObjectKey]

  /// Asks the store's class to save the store's metadata if the program has set them since the last save.
  ///
  /// - Throws: errors of the class.
  func saveMetadataIfNeeded() throws

  /// Executes a request that is neither a fetch nor a save in the store's class, and returns the result.
  ///
  /// - Throws: errors of the class; an error if the class does not support such requests.
  func execute(
    _ request: NSPersistentStoreRequest,
    in context: NSManagedObjectContext
  ) throws -> Any
}

extension NSPersistentStore {
  /// Returns the store's rows for calls in `context`.
  func rows(
    for context: NSManagedObjectContext,
    executing request: NSFetchRequest<NSFetchRequestResult>? = nil
  ) -> any RowStore {
    // `isCustom` is checked before the cast, because the cast is slow, and each fault that fires calls this.
    guard isCustom, let rows = rows as? any ContextualRows else { return rows }
    return rows.view(for: context, executing: request)
  }
}
