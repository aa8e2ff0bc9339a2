// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataGraph

/// Changes of the content as asynchronous sequences of values.
extension NSFetchedResultsController {
  /// A sequence with one element for each later fetch and each later round of changes, in order.
  ///
  /// Not in Apple's framework.
  ///
  /// Each access returns a new sequence, which one reader can read on any thread. The sequence stores its
  /// elements until they are read, so a slow reader misses no change. The controller follows the context,
  /// with or without a delegate, until the reader stops. The sequence ends when the controller is
  /// deallocated. Access this property on the context's queue.
  ///
  /// Source: this library's choice.
  public var changes: AsyncStream<FetchedResultsChanges> {
    let (stream, continuation) = AsyncStream.makeStream(of: FetchedResultsChanges.self)
    add(ChangesListener(continuation))
    return stream
  }

  /// A sequence of the controller's content: the current content, if the controller has content, and then the
  /// new content after each fetch, each round of changes, and each save that makes temporary IDs permanent.
  ///
  /// Not in Apple's framework.
  ///
  /// Each access returns a new sequence, which one reader can read on any thread. A slow reader receives only
  /// the latest content. The controller follows the context, with or without a delegate, until the reader
  /// stops. The sequence ends when the controller is deallocated. Access this property on the context's
  /// queue.
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
