// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Changes of the content as asynchronous sequences of values.
extension NSFetchedResultsController {
  /// The fetches and the rounds of changes from now on, in order and without gaps.
  ///
  /// Not in Apple's framework.
  ///
  /// Each access returns a sequence for one reader on any thread. The controller follows the context, with or
  /// without a delegate, until the reader stops. The sequence ends when the controller is deallocated. Access
  /// this property on the context's queue. Unread elements are kept in memory.
  ///
  /// Source: this library's choice.
  public var changes: AsyncStream<FetchedResultsChanges> {
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedResultsChanges.self)
    add(ChangesListener(continuation))
    return stream
  }

  /// The current content, if any, and the content after each later fetch, round of changes, and save of
  /// objects with temporary IDs.
  ///
  /// Not in Apple's framework.
  ///
  /// Each access returns a sequence for one reader on any thread. A slow reader receives only the latest
  /// content. The controller follows the context, with or without a delegate, until the reader stops. The
  /// sequence ends when the controller is deallocated. Access this property on the context's queue.
  /// - Complexity: O(rows) for each element.
  /// - Source: this library's choice.
  public var snapshots: FetchedResultsSnapshots {
    let snapshots = FetchedResultsSnapshots()
    let listener = SnapshotsListener(snapshots)
    add(listener)
    if let list = content.displayedList {
      _ = snapshots.put(notifier.snapshot(of: list, after: nil))
    }
    return snapshots
  }
}

private final class ChangesListener: ResultsListener {
  private let continuation: AsyncStream<FetchedResultsChanges>.Continuation

  init(_ continuation: AsyncStream<FetchedResultsChanges>.Continuation) {
    self.continuation = continuation
  }

  func contentWillChange() {}
  func contentWasFetched(by controller: NSFetchedResultsController<NSFetchRequestResult>) {
    send(.fetch, controller)
  }
  func contentDidChange(
    _ changes: ResultChanges,
    of controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { send(FetchedResultsChanges(changes), controller) }
  func identifiersDidChange(of controller: NSFetchedResultsController<NSFetchRequestResult>) {}
  func contentDidEnd() { continuation.finish() }

  private func send(
    _ changes: FetchedResultsChanges,
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    if case .terminated = continuation.yield(changes) { controller.remove(self) }
  }
}

private final class SnapshotsListener: ResultsListener {
  private let snapshots: FetchedResultsSnapshots

  init(_ snapshots: FetchedResultsSnapshots) { self.snapshots = snapshots }

  func contentWillChange() {}
  func contentWasFetched(by controller: NSFetchedResultsController<NSFetchRequestResult>) {
    put(nil, controller)
  }
  func contentDidChange(
    _ changes: ResultChanges,
    of controller: NSFetchedResultsController<NSFetchRequestResult>
  ) { put(changes, controller) }
  func identifiersDidChange(of controller: NSFetchedResultsController<NSFetchRequestResult>) {
    put(nil, controller)
  }
  func contentDidEnd() { snapshots.signal.finish() }

  private func put(
    _ changes: ResultChanges?,
    _ controller: NSFetchedResultsController<NSFetchRequestResult>
  ) {
    guard let list = controller.content.currentList else { return }
    let snapshot = controller.notifier.snapshot(of: list, after: changes)
    if !snapshots.put(snapshot) { controller.remove(self) }
  }
}
