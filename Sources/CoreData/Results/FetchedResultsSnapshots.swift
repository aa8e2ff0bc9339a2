// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// The content of a results controller after its rounds, for one reader on any thread.
///
/// Not in Apple's framework.
///
/// A reader that is slower than the changes receives only the latest content. Its rows to reload or
/// reconfigure include those of the snapshots that were skipped. The sequence ends with the controller.
///
/// Source: chosen.
public struct FetchedResultsSnapshots: AsyncSequence, Sendable {
  /// Section names and the IDs of rows.
  public typealias Element = NSDiffableDataSourceSnapshot<String, NSManagedObjectID>
  /// The sequence ends without an error.
  public typealias Failure = Never

  let box = LatestSnapshot()
  let signals: AsyncStream<Void>
  let signal: AsyncStream<Void>.Continuation

  init() {
    (signals, signal) = AsyncStream.makeStream(of: Void.self, bufferingPolicy: .bufferingNewest(1))
  }

  /// Stores a snapshot until it is read.
  ///
  /// - Returns: whether the sequence can still be read.
  func put(_ snapshot: Element) -> Bool {
    box.put(snapshot)
    if case .terminated = signal.yield() { return false }
    return true
  }

  /// Returns the iterator; call it only once.
  public func makeAsyncIterator() -> Iterator {
    Iterator(signals: signals.makeAsyncIterator(), box: box)
  }

  /// Iterates over the content.
  public struct Iterator: AsyncIteratorProtocol {
    var signals: AsyncStream<Void>.Iterator
    let box: LatestSnapshot

    /// Returns the latest unread content, or waits for it; returns nil after the controller was
    /// deallocated.
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
  /// Adds the reloaded and reconfigured items of an earlier snapshot that still exist.
  ///
  /// An item that is reloaded in one of the snapshots is not reconfigured.
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
