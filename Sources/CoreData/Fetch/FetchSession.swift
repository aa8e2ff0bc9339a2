// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// One fetch of a context: queries the stores, and returns objects, keys, dictionaries or a count.
///
/// A fetch that needs another fetch, for example with a wider window, creates a session for the other fetch.
struct FetchSession {
  let context: NSManagedObjectContext
  let description: FetchDescription
  var options = FetchOptions()
  /// Stores that have already been queried off the context's queue; nil if the stores are queried when
  /// needed.
  ///
  /// See `FetchedOrigin`.
  var fetchedOrigins: [any RowOrigin]?

  init(
    _ description: FetchDescription,
    in context: NSManagedObjectContext,
    options: FetchOptions = FetchOptions()
  ) {
    self.context = context
    self.description = description
    self.options = options
  }

  /// Returns a session for another part of the same fetch, with the same `fetchedOrigins`.
  func session(_ description: FetchDescription, _ options: FetchOptions) -> FetchSession {
    var session = FetchSession(description, in: context, options: options)
    session.fetchedOrigins = fetchedOrigins
    return session
  }

  var graph: ObjectGraph { context.graph }
  var registry: ObjectRegistry { context.registry }

  /// Returns the origins of the rows: the parent, or the stores that can hold the fetch's objects.
  ///
  /// - Throws: the stores' errors if this read creates the context's query generation.
  func origins() throws -> [any RowOrigin] {
    try fetchedOrigins ?? context.origins(of: description, executing: options.request)
  }

  // MARK: Results

  /// Returns the results of a request as elements of its generic type.
  ///
  /// - Throws: `NSCoreDataError` (134060) if a result is not a `T`; the errors of the stores and of the
  ///   evaluation in memory.
  func results<T>(of request: NSFetchRequest<T>) throws -> [T] {
    switch request.resultType {
    case .countResultType:
      return try FetchedTypes.cast([NSNumber(value: try count())], for: request)
    case .dictionaryResultType: return try FetchedTypes.cast(dictionaries(), for: request)
    case .managedObjectIDResultType:
      return try FetchedTypes.cast(keys().map { context.id(for: $0) }, for: request)
    default: return try FetchedTypes.typed(objects(), for: request)
    }
  }

  // MARK: Counting

  /// Returns the number of fetched objects or dictionaries.
  func resultCount() throws -> Int {
    guard case .dictionaries(let shape) = description.shape else { return try count() }
    // Grouped and distinct dictionaries are counted by fetching them.
    if !shape.isPlain || shape.isDistinct { return try dictionaryRows(shape).count }
    var stored = options
    stored.includesUnsaved = false
    return try session(description, stored).count()
  }

  /// Returns the number of matching objects within limit and offset.
  ///
  /// - Complexity: usually one statement for each store; if unsaved objects could match, all keys are read.
  func count() throws -> Int {
    let window = FetchWindow(description)
    if options.includesUnsaved, try !unsaved().isEmpty {
      // The order affects which objects are in the window, but not their number.
      var all = description
      (all.order, all.limit, all.offset) = ([], 0, 0)
      return window.size(of: try session(all, options).keys().count)
    }
    var counting = description
    counting.shape = .count
    let origins = try origins()
    if origins.count > 1 { (counting.limit, counting.offset) = (0, 0) }
    var total = 0
    for origin in origins {
      do {
        if case .count(let count) = try origin.fetch(counting) { total += count }
      } catch let error as StoreError where error.code == .inexpressible {
        var rows = counting
        rows.shape = .rows
        total += try session(rows, options).read(origin).count
      }
    }
    return origins.count > 1 ? window.size(of: total) : total
  }
}
