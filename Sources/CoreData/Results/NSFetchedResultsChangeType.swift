// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph

/// The type of a change to a row or a section; raw values are Apple's.
public enum NSFetchedResultsChangeType: UInt, Sendable {
  case insert = 1
  case delete = 2
  /// The row moved to another section, or to another position relative to the rows that did not move.
  case move = 3
  /// The object changed, and the row did not move.
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
