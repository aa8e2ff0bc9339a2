// SPDX-License-Identifier: Apache-2.0

import Synchronization
import _CoreDataModel
import _CoreDataStore

/// A store that was asked before its answer is needed; any further question goes to the store itself.
final class AnsweredOrigin: RowOrigin {
  private let origin: any RowOrigin
  private let question: FetchDescription
  private let answer: Result<FetchResult, any Error>
  /// A part of a question that the store could not answer looks like the question itself.
  private let isGiven = Atomic(false)

  /// Asks the store now, on the calling thread.
  init(_ origin: any RowOrigin, asking question: FetchDescription) {
    self.origin = origin
    self.question = question
    answer = Result { try origin.fetch(question) }
  }

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    guard description.isWindowOf(question), !isGiven.exchange(true, ordering: .relaxed) else {
      return try origin.fetch(description)
    }
    return try answer.get()
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
  /// Whether two descriptions of one request ask for the same part in the same shape.
  fileprivate func isWindowOf(_ other: FetchDescription) -> Bool {
    guard entity == other.entity, limit == other.limit, offset == other.offset, order == other.order
    else { return false }
    return switch (shape, other.shape) {
    case (.rows, .rows), (.keys, .keys), (.count, .count), (.dictionaries, .dictionaries): true
    default: false
    }
  }
}
