// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// What to fetch, in terms of the model: what every store understands.
package struct FetchDescription: Sendable {
  package enum Shape: Sendable {
    /// Keys and rows.
    case rows
    /// Keys alone.
    case keys
    /// The number of rows.
    case count
    case dictionaries(DictionaryShape)
  }

  /// Index of the entity.
  package var entity: Int
  package var includesSubentities = true
  package var condition: Condition?
  package var order: [SortKey] = []
  /// 0 for no limit.
  package var limit = 0
  package var offset = 0
  package var shape = Shape.rows
  /// Indexes of the stores to ask, which the stores do not look at; nil for all with the entity.
  package var stores: Set<Int>?
  /// Who may end the fetch early, and hears how far it is; nil for nobody.
  package var control: FetchControl?

  package init(entity: Int) { self.entity = entity }
}

/// What a fetch gave, according to `FetchDescription.shape`.
package enum FetchResult: Sendable {
  case rows(FetchedRows)
  case keys([ObjectKey])
  case count(Int)
  /// One array for each row, in the order of the columns; `.key` for a to-one.
  case dictionaries([[Value]])
}
