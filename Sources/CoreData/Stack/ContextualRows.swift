// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// The rows of a store of a class of the program, whose methods receive the context and its objects.
///
/// As a `RowStore` it works without a context of the program: it then uses a context of its own, which lasts
/// for one call.
protocol ContextualRows: RowStore {
  /// Returns the same rows for calls in `context`, on the context's queue.
  ///
  /// `request` is the request that the program executes, for the settings that a `FetchDescription` does not
  /// have; nil for calls that no request of the program has caused.
  func view(
    for context: NSManagedObjectContext,
    executing request: NSFetchRequest<NSFetchRequestResult>?
  ) -> any RowStore

  /// Returns the permanent keys that the class assigns to new objects of a context, in their order.
  ///
  /// - Throws: errors of the class.
  func permanentKeys(for objects: [NSManagedObject]) throws -> [ObjectKey]

  /// Asks the class to save its metadata if the program has set them since the last save.
  ///
  /// - Throws: errors of the class.
  func saveMetadataIfNeeded() throws

  /// Runs `body` with the greatest number that was assigned in each hierarchy, while no other call reaches the
  /// class, and closes the store.
  ///
  /// - Throws: errors of `body`, after which the store stays open.
  func endingWrites<T>(_ body: ([Int: Int64]) throws -> T) throws -> T

  /// Passes a request that is neither a fetch nor a save to the class, and returns the result.
  ///
  /// - Throws: errors of the class, and of a store that executes only fetches and saves.
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
    // The cast is slow, and faults of stores of the built-in types fire often.
    guard isCustom, let rows = rows as? any ContextualRows else { return rows }
    return rows.view(for: context, executing: request)
  }
}
