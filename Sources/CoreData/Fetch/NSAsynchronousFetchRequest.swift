// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataStore

/// The block that is called with the result of an asynchronous fetch when the fetch ends.
///
/// Source: documented, “NSPersistentStoreAsynchronousFetchResultCompletionBlock”.
public typealias NSPersistentStoreAsynchronousFetchResultCompletionBlock = (
  NSAsynchronousFetchResult<NSFetchRequestResult>
) -> Void

/// A request for a fetch that queries the stores off the context's queue.
///
/// ```swift
/// let request = NSAsynchronousFetchRequest(fetchRequest: venues) { result in
///   show(result.finalResult ?? [])
/// }
/// try context.execute(request)
/// ```
/// `execute(_:)` returns an `NSAsynchronousFetchResult` at once. The rows are converted to objects on the
/// context's queue, with the unsaved changes that exist at that time. The completion block is called once, on
/// the same queue. In a child context the whole fetch runs on the child's queue.
///
/// Source: documented, “NSAsynchronousFetchRequest”.
open class NSAsynchronousFetchRequest<ResultType: NSFetchRequestResult>: NSPersistentStoreRequest {
  /// The fetch request to execute; changing the request after `execute(_:)` does not affect that execution.
  public let fetchRequest: NSFetchRequest<ResultType>
  private let block: ((NSAsynchronousFetchResult<ResultType>) -> Void)?

  /// Creates a request that calls `blk` on the context's queue when the fetch ends.
  public init(
    fetchRequest request: NSFetchRequest<ResultType>,
    completionBlock blk: ((NSAsynchronousFetchResult<ResultType>) -> Void)? = nil
  ) {
    fetchRequest = request
    block = blk
    super.init()
    affectedStores = request.affectedStores
  }

  /// The block that is called when the fetch ends; nil if the request was created without a block.
  ///
  /// The declared type of the block does not depend on `ResultType`. Call the block only with an
  /// `NSAsynchronousFetchResult<ResultType>`.
  open var completionBlock: NSPersistentStoreAsynchronousFetchResultCompletionBlock? {
    block.map { block in
      { result in
        // Every result type is a class, so all specialisations have the same layout.
        block(unsafeBitCast(result as AnyObject, to: NSAsynchronousFetchResult<ResultType>.self))
      }
    }
  }

  /// The expected number of results, used as the progress's `totalUnitCount`; 0, the default, if unknown.
  open var estimatedResultCount = 0

  open override var requestType: NSPersistentStoreRequestType { .fetchRequestType }

  /// Returns a request with the same settings and the same block.
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
    try context.fetchOffQueue(request, control: result.control) { outcome in
      sent.value.finish(outcome)
      block.value?(sent.value)
    }
    return result
  }
}

/// The result of an asynchronous fetch.
///
/// `execute(_:)` returns this object before the fetch ends.
///
/// Source: documented, “NSAsynchronousFetchResult”.
open class NSAsynchronousFetchResult<ResultType: NSFetchRequestResult>:
  NSPersistentStoreAsynchronousResult
{
  /// The request that was executed.
  public let fetchRequest: NSAsynchronousFetchRequest<ResultType>
  /// The fetched results; nil until the fetch ends, and after a fetch that failed or was cancelled.
  open private(set) var finalResult: [ResultType]?
  let control: FetchControl
  private let hasEnded = Atomic(false)

  init(_ request: NSAsynchronousFetchRequest<ResultType>, _ context: NSManagedObjectContext) {
    fetchRequest = request
    let progress = Progress.current().map { _ in
      // A new progress automatically becomes a child of the current progress.
      Progress(totalUnitCount: Int64(max(0, request.estimatedResultCount)))
    }
    let shown = progress.map(Transfer.init)
    // If a parent progress cancels this one, the cancellation handler runs later and on another thread, so
    // `isCancelled` is checked as well.
    let control = FetchControl(
      onAdvance: { rows in shown?.value.reach(Int64(rows)) },
      isCancelledElsewhere: { shown?.value.isCancelled ?? false }
    )
    progress?.cancellationHandler = { control.cancel() }
    self.control = control
    super.init(context: context, progress: progress)
  }

  /// Cancels the fetch and its progress, even while the store executes the fetch's SQL statement; has no
  /// effect on a fetch that has ended.
  ///
  /// The fetch completes with error 3072 (user cancelled).
  open override func cancel() {
    if hasEnded.load(ordering: .acquiring) { return }
    control.cancel()
    super.cancel()
  }

  func finish(_ outcome: Result<[ResultType], any Error>) {
    hasEnded.store(true, ordering: .releasing)
    switch outcome {
    case .success(let results):
      finalResult = results
      progress?.finish(Int64(results.count))
    case .failure(let error): operationError = error
    }
  }
}

extension Progress {
  /// Sets the number of rows read so far; if the number exceeds a known total, raises the total to it.
  fileprivate func reach(_ rows: Int64) {
    if totalUnitCount > 0 && rows > totalUnitCount { totalUnitCount = rows }
    completedUnitCount = rows
  }

  /// Completes the progress with the number of results as the total, or with 1 if there are no results.
  fileprivate func finish(_ results: Int64) {
    totalUnitCount = max(1, results)
    completedUnitCount = max(1, results)
  }
}
