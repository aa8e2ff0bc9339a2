// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The results of a fetch as a sequence that holds only one batch of objects at a time.
///
/// Not in Apple's framework.
///
/// ```swift
/// for team in try context.fetchStream(request) { total += team.wins }
/// ```
/// The rows of a batch are read together, and the objects of the batch are released before the next batch is
/// read. Each new iteration reads the rows again. The sequence is confined to the context's queue and retains
/// the context. If the store cannot be read, the program stops, as it does when a fault cannot be fired.
///
/// Source: docs/decisions/0006-batched-fetches.md.
public struct FetchStream<Element: NSFetchRequestResult>: Sequence {
  private let makeSource: () -> BatchSource

  init(_ makeSource: @escaping () -> BatchSource) { self.makeSource = makeSource }

  /// Returns an iterator that starts at the first result.
  public func makeIterator() -> Iterator { Iterator(makeSource()) }

  /// An iterator over the results in order.
  public struct Iterator: IteratorProtocol {
    private let source: BatchSource
    private var position = 0

    init(_ source: BatchSource) { self.source = source }

    /// Returns the next result, or nil after the last one.
    ///
    /// - Complexity: the first result of each batch of objects reads the batch; O(1) for the other results.
    public mutating func next() -> Element? {
      if position == source.keys.count {
        source.release()
        return nil
      }
      defer { position += 1 }
      // The fetch has checked the possible classes of the results.
      return unsafeDowncast(source.result(at: position), to: Element.self)
    }
  }
}
