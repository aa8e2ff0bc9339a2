// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// What a delegate is told, as asynchronous sequences of values.
extension NSFetchedResultsController {
  /// Every round of changes from now on, in order and without a gap; a new fetch is a round of its own.
  ///
  /// Each call gives a sequence for one reader, on any thread. It makes the controller follow its
  /// context, with or without a delegate, and ends with the controller. Call it on the context's queue.
  /// What is not read yet waits in memory. Source: chosen.
  public var changes: AsyncStream<FetchedResultsChanges> {
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedResultsChanges.self)
    results.add(ChangesListener(continuation))
    return stream
  }

  /// The present content, where there is any, and the content after each round of changes and each
  /// fetch.
  ///
  /// Each call gives a sequence for one reader, on any thread. A slow reader gets the latest content.
  /// It makes the controller follow its context, and ends with the controller. Call it on the context's
  /// queue. Source: chosen.
  /// - Complexity: O(rows) for each round.
  public var snapshots: FetchedResultsSnapshots {
    let snapshots = FetchedResultsSnapshots()
    let listener = SnapshotsListener(snapshots)
    results.add(listener)
    if let list = results.shown {
      _ = snapshots.put(results.typedSnapshot(of: list, after: nil))
    }
    return snapshots
  }
}

/// Passes rounds on until nobody reads them any more.
private final class ChangesListener: ResultsListener {
  private let continuation: AsyncStream<FetchedResultsChanges>.Continuation

  init(_ continuation: AsyncStream<FetchedResultsChanges>.Continuation) {
    self.continuation = continuation
  }

  func contentWillChange() {}
  func contentWasFetched(_ results: TrackedResults) { pass(.fetch, results) }
  func contentDidChange(_ changes: ResultChanges, of results: TrackedResults) {
    pass(FetchedResultsChanges(changes), results)
  }
  func identifiersDidChange(of results: TrackedResults) {}
  func contentEnded() { continuation.finish() }

  private func pass(_ changes: FetchedResultsChanges, _ results: TrackedResults) {
    if case .terminated = continuation.yield(changes) { results.remove(self) }
  }
}

/// Puts the content after each round where its reader finds it.
private final class SnapshotsListener: ResultsListener {
  private let snapshots: FetchedResultsSnapshots

  init(_ snapshots: FetchedResultsSnapshots) { self.snapshots = snapshots }

  func contentWillChange() {}
  func contentWasFetched(_ results: TrackedResults) { put(results, nil) }
  func contentDidChange(_ changes: ResultChanges, of results: TrackedResults) {
    put(results, changes)
  }
  func identifiersDidChange(of results: TrackedResults) { put(results, nil) }
  func contentEnded() { snapshots.ringer.finish() }

  private func put(_ results: TrackedResults, _ changes: ResultChanges?) {
    guard let list = results.list else { return }
    if !snapshots.put(results.typedSnapshot(of: list, after: changes)) { results.remove(self) }
  }
}
