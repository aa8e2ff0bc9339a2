// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A sequence of snapshots of a results controller's content, which one reader can read on any thread.
///
/// Not in Apple's framework.
///
/// A reader that cannot keep up with the changes receives only the latest snapshot. This snapshot also
/// contains the reloaded and reconfigured items of the skipped snapshots, except for items that no longer
/// exist. The sequence ends when the controller is deallocated.
///
/// Source: this library's choice.
public struct FetchedResultsSnapshots: AsyncSequence, Sendable {
  /// A snapshot with section identifiers and the IDs of objects.
  public typealias Element = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
  /// `Never`, because the sequence does not fail.
  public typealias Failure = Never

  let box = LatestSnapshot()
  let signals: AsyncStream<Void>
  let signal: AsyncStream<Void>.Continuation

  init() {
    (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Stores a snapshot until it is read or replaced by the next snapshot.
  ///
  /// - Returns: whether the sequence can still be read.
  func put(_ snapshot: Element) -> Bool {
    box.put(snapshot)
    if case .terminated = signal.yield() { return false }
    return true
  }

  /// Returns the iterator; call this method only once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(signals: signals.makeAsyncIterator(), box: box)
  }

  /// The iterator of the sequence.
  public struct Iterator: AsyncIteratorProtocol {
    var signals: AsyncStream<Void>.Iterator
    let box: LatestSnapshot

    /// Waits until there is an unread snapshot, and returns the latest one.
    ///
    /// Returns nil if all snapshots were read and the controller was deallocated or the task was cancelled.
    public mutating func next() async -> Element? {
      while await signals.next() != nil {
        if let snapshot = box.removeLatest() { return snapshot }
      }
      return box.removeLatest()
    }
  }

  final class LatestSnapshot: Sendable {
    private let latest = Mutex<Element?>(nil)

    func put(_ snapshot: Element) {
      latest.withLock { latest in
        var snapshot = snapshot
        if let missed = latest { snapshot.addReloads(of: missed) }
        latest = snapshot
      }
    }

    func removeLatest() -> Element? {
      latest.withLock { latest in
        defer { latest = nil }
        return latest
      }
    }
  }
}

extension NSDiffableDataSourceSnapshot {
  /// Adds the reloaded and reconfigured items of an earlier snapshot, except for items that no longer exist.
  ///
  /// An item that is reloaded in one snapshot and reconfigured in the other is only reloaded.
  mutating func addReloads(of earlier: Self) {
    let known = Set(itemIdentifiers)
    var seen = Set(reloadedItemIdentifiers)
    reloadedItemIdentifiers += earlier.reloadedItemIdentifiers.filter {
      known.contains($0) && seen.insert($0).inserted
    }
    reconfiguredItemIdentifiers.removeAll(where: seen.contains)
    seen.formUnion(reconfiguredItemIdentifiers)
    reconfiguredItemIdentifiers += earlier.reconfiguredItemIdentifiers.filter {
      known.contains($0) && seen.insert($0).inserted
    }
  }
}
