// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataStore

/// What an asynchronous fetch is given to when it is done.
///
/// Source: documented, “NSPersistentStoreAsynchronousFetchResultCompletionBlock”.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
  NSAsynchronousFetchResult<NSFetchRequestResult>
) -> Void

/// A fetch whose statement runs beside the context's queue.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: venues) { result in
///   show(result.finalResult ?? [])
/// }
/// try context.execute(request)
/// ```
/// `execute(_:)` gives an `NSAsynchronousFetchResult` at once. The rows become objects on the context's
/// queue, where unsaved changes count as they are then, and where the block is called, once. In a child
/// context the whole fetch runs on its queue. Source: documented, “NSAsynchronousFetchRequest”.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  /// What is fetched; what is changed in it after `execute(_:)` counts for nothing.
  public let fetchRequest: NSFetchRequest<ResultType>
  private let block: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

  /// A request that calls `blk` when it is done, on the context's queue.
  public init(
    fetchRequest request: NSFetchRequest<ResultType>,
    completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    fetchRequest = request
    block = blk
    super.init()
    affectedStores = request.affectedStores
  }

  /// What is called when the fetch is done, for results of any type.
  open var completionBlock: NSPersistentStoreAsynchronousFetchResultCompletionBlock? {
    block.map { block in
      { result in
        // Every result type is a class, so that all results have one layout.
        block(unsafeBitCast(result as AnyObject, to: NSAsynchronousFetchResult<ResultType>.self))
      }
    }
  }

  /// How many results are expected: the `totalUnitCount` of the progress; 0, at first, for unknown.
  open var estimatedResultCount = 0

  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// A request for the same results with the same block.
  open override func copy(with zone: NSZone? = nil) -> Any {
    let request = NSFetchRequest<ResultType>(like: fetchRequest)
    let copy = NSAsynchronousFetchRequest(fetchRequest: request, completionBlock: block)
    copy.affectedStores = affectedStores
    copy.estimatedResultCount = estimatedResultCount
    return copy
  }

  override func result(in context: NSManagedObjectContext) throws -> NSPersistentStoreResult {
    let result = NSAsynchronousFetchResult(self, context)
    let request = NSFetchRequest<ResultType>(like: fetchRequest)
    request.affectedStores = affectedStores
    let block = Transfer(block)
    let sent = Transfer(result)
    try context.fetchBesideQueue(request, control: result.control) { outcome in
      sent.value.finish(outcome)
      block.value?(sent.value)
    }
    return result
  }
}

/// The result of an asynchronous fetch, there before the fetch is done.
///
/// Source: documented, “NSAsynchronousFetchResult”.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>:
  NSPersistentStoreAsynchronousResult
{
  /// The request that was executed.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// What was fetched; nil until the fetch is done, and where it failed or was cancelled.
  open private(set) var finalResult: [ResultType]?
  let control: FetchControl

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
    fetchRequest = request
    let progress = Progress.current().map { _ in
      // Becomes a child of the current one by itself.
      Progress(totalUnitCount: Int64(max(0, request.estimatedResultCount)))
    }
    let shown = progress.map(Transfer.init)
    // A progress that its parent cancels calls its handler some time later, on another thread.
    let control = FetchControl(
      onAdvance: { rows in shown?.value.reach(Int64(rows)) },
      isCancelledElsewhere: { shown?.value.isCancelled ?? false }
    )
    progress?.cancellationHandler = { control.cancel() }
    self.control = control
    super.init(context: context, progress: progress)
  }

  /// Ends the fetch, in the middle of its statement too: it completes with the error 3072, user
  /// cancelled; nothing where it is done.
  open override func cancel() {
    control.cancel()
    super.cancel()
  }

  func finish(_ outcome: Result<[ResultType], any Error>) {
    switch outcome {
    case .success(let results):
      finalResult = results
      progress?.finish(Int64(results.count))
    case .failure(let error): operationError = error
    }
  }
}

extension Progress {
  /// So many rows were read; more than expected raise the total.
  fileprivate func reach(_ rows: Int64) {
    if totalUnitCount > 0 && rows > totalUnitCount { totalUnitCount = rows }
    completedUnitCount = rows
  }

  /// The fetch is done, whatever was expected.
  fileprivate func finish(_ results: Int64) {
    totalUnitCount = max(1, results)
    completedUnitCount = max(1, results)
  }
}
