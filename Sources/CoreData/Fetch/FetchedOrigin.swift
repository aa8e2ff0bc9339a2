// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel
import _CoreDataStore

/// A store that already has the result of one fetch and returns the result once; the store executes other
/// fetches as usual.
final class FetchedOrigin: RowOrigin {
  private let origin: any RowOrigin
  private let fetched: FetchDescription
  private let result: Result<FetchResult, any Error>
  /// Whether the result has been returned.
  ///
  /// If the store cannot express the fetch, the session fetches again with a part of the condition. The
  /// second fetch has the same window and shape. Without this flag, the second fetch would receive the result
  /// of the first.
  private let isReturned = Atomic(false)

  /// Creates an origin, and executes the fetch at once on the calling thread.
  init(_ origin: any RowOrigin, fetching description: FetchDescription) {
    self.origin = origin
    fetched = description
    result = Result { try origin.fetch(description) }
  }

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    guard description.hasWindow(of: fetched), !isReturned.exchange(true, ordering: .relaxed) else {
      return try origin.fetch(description)
    }
    return try result.get()
  }

  func divided(_ description: FetchDescription) throws -> DividedFetch {
    try origin.divided(description)
  }

  func rows(for keys: [ObjectKey]) throws -> FetchedRows { try origin.rows(for: keys) }

  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try origin.members(of: owners, slot: slot)
  }

  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    try origin.related(to: owners, slot: slot)
  }
}

extension FetchDescription {
  /// Whether both descriptions, which belong to the same request, have the same entity, order, limit, offset
  /// and kind of shape.
  fileprivate func hasWindow(of other: FetchDescription) -> Bool {
    guard entity == other.entity, limit == other.limit, offset == other.offset, order == other.order
    else { return false }
    return switch (shape, other.shape) {
    case (.rows, .rows), (.keys, .keys), (.count, .count), (.dictionaries, .dictionaries): true
    default: false
    }
  }
}
