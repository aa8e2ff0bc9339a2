// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel
import _CoreDataStore

/// One fetch of a context, from the stores that it reads to objects, keys, dictionaries or a count.
///
/// A fetch that needs another one, such as that of a wider window, makes a session of its own.
struct FetchSession {
  let context: NSManagedObjectContext
  let description: FetchDescription
  var options = FetchOptions()
  /// Stores that were asked beside the context's queue; nil where they are asked now.
  ///
  /// Such a store returns the result that is at hand once, to a fetch of the same window and shape.
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

  /// A session for another part of the same fetch.
  func session(_ description: FetchDescription, _ options: FetchOptions) -> FetchSession {
    var session = FetchSession(description, in: context, options: options)
    session.fetchedOrigins = fetchedOrigins
    return session
  }

  var graph: ObjectGraph { context.graph }
  var registry: ObjectRegistry { context.registry }

  /// Where the rows are read: the parent, or the stores that hold the entity.
  ///
  /// - Throws: what the stores throw where the context is pinned now.
  func origins() throws -> [any RowOrigin] {
    try fetchedOrigins ?? context.sources(description)
  }

  // MARK: Results

  /// The results of a request as elements of its result type.
  ///
  /// - Throws: 134060 where the results have another type; what the stores throw.
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

  /// The number of results that a request's `fetch` gives.
  func resultCount() throws -> Int {
    guard case .dictionaries(let shape) = description.shape else { return try count() }
    // As many dictionaries as a fetch gives, which shows the store alone.
    if !shape.isPlain || shape.isDistinct { return try dictionaryRows(shape).count }
    var stored = options
    stored.includesUnsaved = false
    return try session(description, stored).count()
  }

  /// The number of objects.
  ///
  /// - Complexity: one statement a store; where unsaved objects are concerned, all keys are read.
  func count() throws -> Int {
    let window = FetchWindow(description)
    if options.includesUnsaved, try !unsaved().isEmpty {
      // The order decides which objects are counted, not how many.
      var all = description
      (all.order, all.limit, all.offset) = ([], 0, 0)
      return window.size(of: try session(all, options).keys().count)
    }
    var counting = description
    counting.shape = .count
    let origins = try origins()
    if origins.count > 1 { (counting.limit, counting.offset) = (0, 0) }
    var total = 0
    for store in origins {
      do {
        if case .count(let count) = try store.fetch(counting) { total += count }
      } catch let error as StoreError where error.code == .unsayable {
        var rows = counting
        rows.shape = .rows
        total += try session(rows, options).read(store).count
      }
    }
    return origins.count > 1 ? window.size(of: total) : total
  }
}
