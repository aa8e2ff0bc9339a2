// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// What happened to a row or a section; raw values are Apple's.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  case insert = 1
  case delete = 2
  /// The row has another place among the rows that did not move, or another section.
  case move = 3
  /// The object changed and its row kept its place.
  case update = 4
}

extension NSFetchedResultsChangeType {
  init(_ kind: ResultChange.Kind) {
    self =
      switch kind {
      case .insert: .insert
      case .delete: .delete
      case .move: .move
      case .update: .update
      }
  }
}
