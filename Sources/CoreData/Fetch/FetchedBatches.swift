// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// The results of a fetch as a collection whose elements are created when they are accessed.
///
/// Not in Apple's framework.
///
/// ```swift
/// request.fetchBatchSize = 20
/// let teams = try context.fetchLazily(request)
/// let first = teams.first           // reads twenty rows
/// ```
/// The fetch determines the objects of the collection and their order; later changes do not affect them.
/// Accessing an object reads the rows of its batch. The most recently used batches are retained; objects of
/// other batches are released unless the program retains them. If the row of an object has been deleted since
/// the fetch, the object's fault becomes inaccessible at its first use. The collection is confined to the
/// context's queue and retains the context. If the store cannot be read, the program stops, as it does when a
/// fault cannot be fired.
///
/// In Apple's framework, the array that a fetch returns reads batches in this way; on Linux, an array cannot
/// create its elements lazily.
///
/// Source: docs/decisions/0006-batched-fetches.md.
public struct FetchedBatches<Element: NSFetchRequestResult>: RandomAccessCollection {
  private let source: BatchSource

  init(_ source: BatchSource) { self.source = source }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of results.
  public var endIndex: Int { source.keys.count }
  /// The maximum number of objects in a batch.
  public var batchSize: Int { source.size }

  /// Returns the element at `position`; stops the program if `position` is out of bounds.
  ///
  /// - Complexity: reads the element's batch if the element is an object and its batch is not held.
  public subscript(position: Int) -> Element {
    // The fetch has checked the possible classes of the results.
    unsafeDowncast(source.result(at: position), to: Element.self)
  }

  /// The IDs of the results in order; reads no rows.
  ///
  /// - Complexity: O(n).
  public var objectIDs: [NSManagedObjectID] { source.keys.map { source.context.id(for: $0) } }

  /// Releases the objects of all batches.
  ///
  /// Accessing an element reads its batch again.
  public func releaseBatches() { source.release() }
}

extension NSManagedObjectContext {
  /// Returns the objects or IDs that `request` describes as a collection whose elements are created when they
  /// are accessed.
  ///
  /// Not in Apple's framework.
  ///
  /// Rows are read in batches of `fetchBatchSize`, or of 100 if `fetchBatchSize` is 0. Unsaved changes are
  /// included as in `fetch(_:)`; later changes do not affect the collection.
  /// - Throws: `NSCoreDataError` (134060) if `resultType` is neither managed objects nor IDs, or if a result
  ///   might not be a `T`; the same errors as `fetch(_:)`.
  /// - Complexity: usually one statement for each store that can hold the entity, and eight bytes for each
  ///   result. With many unsaved objects, or with several stores, a sorted fetch reads all rows once.
  public func fetchLazily<T>(_ request: NSFetchRequest<T>) throws -> FetchedBatches<T> {
    checkQueue("fetchLazily(_:)", request.subject)
    // Three batches are enough for the visible part of a list that scrolls in both directions.
    return FetchedBatches(try batchSource(request, held: 3)())
  }

  /// Returns the objects or IDs that `request` describes as a sequence that holds one batch in memory.
  ///
  /// Not in Apple's framework.
  ///
  /// Works like `fetchLazily(_:)`, for results that are read once from the start.
  /// - Throws: the same errors as `fetchLazily(_:)`.
  /// - Complexity: the same as that of `fetchLazily(_:)`.
  public func fetchStream<T>(_ request: NSFetchRequest<T>) throws -> FetchStream<T> {
    checkQueue("fetchStream(_:)", request.subject)
    return FetchStream(try batchSource(request, held: 1))
  }

  /// Fetches the keys and returns a function that creates sources for them.
  private func batchSource<T>(
    _ request: NSFetchRequest<T>,
    held: Int
  ) throws -> () -> BatchSource {
    do {
      let fetch = try beginFetch(request)
      try checkLazy(request, fetch)
      let keys = try fetch.keys()
      let givesIDs = request.resultType == .managedObjectIDResultType
      return { BatchSource(self, keys, fetch.options, givesIDs: givesIDs, held: held) }
    } catch {
      throw cocoaError(error)
    }
  }

  /// Checks that the results are objects or IDs and that each will be a `T`, before any result is created.
  private func checkLazy<T>(_ request: NSFetchRequest<T>, _ fetch: FetchSession) throws {
    switch request.resultType {
    case .managedObjectIDResultType:
      if !(NSManagedObjectID.self is T.Type) {
        throw FetchedTypes.mismatch(NSManagedObjectID.self, request)
      }
    case .managedObjectResultType:
      guard let frozenModel else { return }
      let entity = frozenModel.definition.entities[fetch.description.entity]
      let family = request.includesSubentities ? entity.family : entity.ownFamily
      for index in family where !frozenModel.entities[index].isAbstract {
        let type = frozenModel.managedObjectClass(at: index)
        if !(type is T.Type) { throw FetchedTypes.mismatch(type, request) }
      }
    default:
      throw coreDataError(
        NSCoreDataError,
        "Only managed objects and their IDs can be fetched lazily.",
        "The request's resultType is \(request.resultType.name). Set managedObjectResultType or "
          + "managedObjectIDResultType, or use fetch(_:) instead."
      )
    }
  }
}

extension EntityDefinition {
  /// A range that contains only the entity's own index, whereas `family` includes subentities.
  fileprivate var ownFamily: Range<Int> { index..<index + 1 }
}
