// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

extension NSManagedObjectContext {
  /// Returns the objects, IDs, dictionaries or count that `request` describes; the stores are queried off the
  /// context's queue.
  ///
  /// Not in Apple's framework. Apple's framework offers `NSAsynchronousFetchRequest` instead.
  ///
  /// Use managed objects only on the context's queue, in `perform`. Cancelling the task cancels the fetch. In
  /// a child context the whole fetch runs on the child's queue. Leave `isolation`, which is the caller's
  /// actor, at its default.
  /// - Throws: the same errors as `fetch(_:)`; 3072 (user cancelled) if the task is cancelled.
  public func fetchAsynchronously<T>(
    _ request: NSFetchRequest<T>,
    isolation: isolated (any Actor)? = #isolation
  ) async throws -> [T] {
    let control = FetchControl()
    let sent = Transfer(NSFetchRequest<T>(like: request))
    let results = try await withTaskCancellationHandler(
      operation: {
        try await withCheckedThrowingContinuation(isolation: isolation) {
          (continuation: CheckedContinuation<Transfer<[T]>, any Error>) in
          queue.async {
            do {
              try self.fetchOffQueue(sent.value, control: control) { outcome in
                continuation.resume(with: outcome.map { Transfer($0) })
              }
            } catch {
              continuation.resume(throwing: error)
            }
          }
        }
      },
      onCancel: { control.cancel() },
      isolation: isolation
    )
    return results.value
  }

  /// Queries the stores on another thread, then creates the results on the context's queue and passes them to
  /// `completion` there.
  ///
  /// In a child context, and if the coordinator has a custom store, the whole fetch runs later, on the
  /// context's queue.
  ///
  /// Call this method on the context's queue. The context is retained until `completion` returns.
  /// - Throws: errors of an invalid request, and the stores' errors of queries that must precede the fetch.
  ///   `completion` is not called if this method throws.
  func fetchOffQueue<T>(
    _ request: NSFetchRequest<T>,
    control: FetchControl,
    completion: @escaping (Result<[T], any Error>) -> Void
  ) throws {
    let session = try beginFetch(request, control: control)
    let finish = Transfer { [self] (origins: [any RowOrigin]?) in
      completion(Result { try results(of: request, from: origins, control) })
    }
    if parentSource != nil || coordinator?.hasStoresOfProgram == true {
      // A child must query its parent from the child's queue, and the class of a custom store receives the
      // context, so the whole fetch runs on the context's queue.
      return queue.async { self.inContext({ finish.value(nil) }, processing: true) }
    }
    let origins = try session.origins()
    let storeDescription = try session.storeDescription(request.resultType, stores: origins.count)
    DispatchQueue.global().async {
      let fetched = origins.map { FetchedOrigin($0, fetching: storeDescription) }
      self.queue.async { self.inContext({ finish.value(fetched) }, processing: true) }
    }
  }

  private func results<T>(
    of request: NSFetchRequest<T>,
    from origins: [any RowOrigin]?,
    _ control: FetchControl
  ) throws -> [T] {
    checkQueue("fetch(_:)", request.subject)
    do {
      try control.check()
      var session = try beginFetch(request, control: control)
      session.fetchedOrigins = origins
      return try session.results(of: request)
    } catch {
      throw cocoaError(error)
    }
  }
}

extension FetchSession {
  /// Returns the fetch that `results(of:)` will probably send to each store; unsaved changes made in the
  /// meantime can make `results(of:)` send a different fetch.
  fileprivate func storeDescription(
    _ type: NSFetchRequestResultType,
    stores: Int
  ) throws -> FetchDescription {
    var storeDescription = description
    if type == .dictionaryResultType { return storeDescription }
    let unsaved = options.includesUnsaved ? try unsaved().count : 0
    if type == .countResultType && unsaved == 0 && stores == 1 {
      storeDescription.shape = .count
      return storeDescription
    }
    if type != .managedObjectResultType || options.batchSize > 0 { storeDescription.shape = .keys }
    return stores == 1 && unsaved == 0
      ? storeDescription : FetchWindow.widened(storeDescription, by: unsaved)
  }
}
