// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Fetches whose statements run beside the context's queue.
extension NSManagedObjectContext {
  /// The objects, IDs, dictionaries or the count that `request` describes; the statement runs beside the
  /// context's queue, and a cancelled task ends it.
  ///
  /// Not in Apple's framework.
  ///
  /// Use managed objects on the context's queue alone, in `perform`. `isolation` is the caller's actor:
  /// leave it alone. Apple's way is `NSAsynchronousFetchRequest`.
  /// - Throws: as `fetch(_:)`; 3072, user cancelled, once the task is cancelled.
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
              try self.fetchBesideQueue(sent.value, control: control) { outcome in
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

  /// Asks the stores on another thread, then makes results on the context's queue and hands them to
  /// `completion` there.
  ///
  /// Called on the context's queue; the context lives until then.
  /// - Throws: what the request does not allow, before a store is asked.
  func fetchBesideQueue<T>(
    _ request: NSFetchRequest<T>,
    control: FetchControl,
    completion: @escaping (Result<[T], any Error>) -> Void
  ) throws {
    let session = try beginFetch(request, control: control)
    let finish = Transfer { [self] (origins: [any RowOrigin]?) in
      completion(Result { try results(of: request, from: origins, control) })
    }
    if parentSource != nil {
      // The parent is asked from the child's queue.
      return queue.async { self.inContext({ finish.value(nil) }, processing: true) }
    }
    let origins = try session.origins()
    let question = try session.question(request.resultType, stores: origins.count)
    DispatchQueue.global().async {
      let fetched = origins.map { FetchedOrigin($0, fetching: question) }
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
  /// What `results(of:)` will ask each store, as far as can be told before unsaved changes are final.
  fileprivate func question(
    _ type: NSFetchRequestResultType,
    stores: Int
  ) throws -> FetchDescription {
    var question = description
    if type == .dictionaryResultType { return question }
    let unsaved = options.includesUnsaved ? try unsaved().count : 0
    if type == .countResultType && unsaved == 0 && stores == 1 {
      question.shape = .count
      return question
    }
    if type != .managedObjectResultType || options.batchSize > 0 { question.shape = .keys }
    return stores == 1 && unsaved == 0
      ? question : FetchWindow.widened(question, by: unsaved)
  }
}
