// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The results of a fetch one after the other, of which only one batch is held at a time.
///
/// Not in Apple's framework.
///
/// ```swift
/// for team in try context.fetchStream(request) { total += team.wins }
/// ```
/// The rows of a batch are read with one statement, and its objects are let go with the next one; of
/// the others eight bytes a result are kept. An iteration that is started again reads again. Confined to
/// the context's queue, which it keeps alive; where the store cannot be read, the program stops, as with
/// a fault. Source: docs/decisions/0006-batched-fetches.md.
public struct FetchStream<Element: NSFetchRequestResult>: Sequence {
  private let makeSource: () -> BatchSource

  init(_ makeSource: @escaping () -> BatchSource) { self.makeSource = makeSource }

  /// Starts at the first result.
  public func makeIterator() -> Iterator { Iterator(makeSource()) }

  /// Gives the results in order.
  public struct Iterator: IteratorProtocol {
    private let source: BatchSource
    private var position = 0

    init(_ source: BatchSource) { self.source = source }

    /// The next result; nil after the last.
    ///
    /// - Complexity: one statement for the first result of each batch.
    public mutating func next() -> Element? {
      if position == source.keys.count {
        source.release()
        return nil
      }
      defer { position += 1 }
      // The fetch has checked which classes the results can have.
      return unsafeDowncast(source.result(at: position), to: Element.self)
    }
  }
}
