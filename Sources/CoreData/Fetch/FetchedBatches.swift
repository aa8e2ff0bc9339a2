// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph
import _CoreDataModel

/// The results of a fetch as a collection whose elements are made when they are asked for.
///
/// Not in Apple's framework.
///
/// ```swift
/// request.fetchBatchSize = 20
/// let teams = try context.fetchLazily(request)
/// let first = teams.first           // reads twenty rows
/// ```
/// It is a snapshot: which objects it has, and in which order, is settled by the fetch. Reading an
/// element reads the rows of its batch with one statement; the newest batches are held, and objects of
/// others are let go unless somebody else holds them. A row that is gone by then gives a fault that
/// becomes inaccessible at its first use. Confined to the context's queue, which it keeps alive; where
/// the store cannot be read, the program stops, as with a fault.
/// Apple's arrays of a fetch in batches do this by themselves; Swift's arrays on Linux cannot.
/// Source: docs/decisions/0006-batched-fetches.md.
public struct FetchedBatches<Element: NSFetchRequestResult>: RandomAccessCollection {
  private let source: BatchSource

  init(_ source: BatchSource) { self.source = source }

  /// Always 0.
  public var startIndex: Int { 0 }
  /// The number of results.
  public var endIndex: Int { source.keys.count }
  /// How many rows are read with one statement.
  public var batchSize: Int { source.size }

  /// The element at `position`; one outside of the collection stops the program.
  ///
  /// - Complexity: one statement for the first element of each batch that is not held.
  public subscript(position: Int) -> Element {
    // The fetch has checked which classes the results can have.
    unsafeDowncast(source.result(at: position), to: Element.self)
  }

  /// The IDs of the results, in order; reads no row.
  ///
  /// - Complexity: O(n).
  public var objectIDs: [NSManagedObjectID] { source.keys.map { source.context.id(for: $0) } }

  /// Lets the objects of all batches go that nobody else holds; they are read again when asked for.
  public func releaseBatches() { source.release() }
}

extension NSManagedObjectContext {
  /// The objects or IDs that `request` describes, as a collection whose elements are made when they are
  /// asked for.
  ///
  /// Not in Apple's framework.
  ///
  /// Rows come `fetchBatchSize` at a time, or 100 where that is 0. Unsaved changes count as in
  /// `fetch(_:)`; those made later change nothing. Of another `resultType` it throws 134060.
  /// - Throws: as `fetch(_:)`.
  /// - Complexity: one statement, and eight bytes a result.
  public func fetchLazily<T>(_ request: NSFetchRequest<T>) throws -> FetchedBatches<T> {
    // Enough for a window on the list that moves both ways.
    FetchedBatches(try batchSource(request, held: 3)())
  }

  /// The objects or IDs that `request` describes, one after the other, a batch of them in memory.
  ///
  /// Not in Apple's framework.
  ///
  /// As `fetchLazily(_:)`, for reading once from the start.
  /// - Throws: as `fetch(_:)`.
  /// - Complexity: one statement, and eight bytes a result.
  public func fetchStream<T>(_ request: NSFetchRequest<T>) throws -> FetchStream<T> {
    FetchStream(try batchSource(request, held: 1))
  }

  /// Fetches the keys, and gives what makes sources of them.
  private func batchSource<T>(
    _ request: NSFetchRequest<T>,
    held: Int
  ) throws -> () -> BatchSource {
    checkQueue("fetchLazily(_:)", request.subject)
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

  /// Every result must be a `T`, before one is made.
  private func checkLazy<T>(_ request: NSFetchRequest<T>, _ fetch: FetchSession) throws {
    switch request.resultType {
    case .managedObjectIDResultType:
      if !(NSManagedObjectID.self is T.Type) {
        throw FetchedTypes.mismatch("NSManagedObjectID", request)
      }
    case .managedObjectResultType:
      guard let frozenModel else { return }
      let entity = frozenModel.definition.entities[fetch.description.entity]
      let family = request.includesSubentities ? entity.family : entity.ownFamily
      for index in family where !frozenModel.entities[index].isAbstract {
        let type = frozenModel.managedObjectClass(at: index)
        if !(type is T.Type) { throw FetchedTypes.mismatch("\(type)", request) }
      }
    default:
      throw coreDataError(
        NSCoreDataError,
        "Only managed objects and their IDs can be fetched lazily.",
        "The resultType of the request is another one; use fetch(_:)."
      )
    }
  }
}

extension EntityDefinition {
  /// The entity's own index, as a range like `family`.
  fileprivate var ownFamily: Range<Int> { index..<index + 1 }
}
