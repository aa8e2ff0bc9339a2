// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// A fetch in terms of the model, independent of the kind of store.
package struct FetchDescription: Sendable {
  /// The form of the results.
  package enum ResultForm: Sendable {
    case rows
    case keys
    case count
    case dictionaries(DictionaryShape)
  }

  /// The index of the entity in `ModelDefinition.entities`.
  package var entity: Int
  package var includesSubentities = true
  package var condition: Condition?
  /// A condition that the caller evaluates on the results; a store may leave out rows for which it does not
  /// hold.
  package var prefilter: Condition?
  package var order: [SortKey] = []
  /// The maximum number of results; 0 for no limit.
  package var limit = 0
  package var offset = 0
  package var shape = ResultForm.rows
  /// The indexes of the stores to fetch from; nil means all stores that contain the entity.
  ///
  /// Stores ignore this property, because the caller passes the fetch only to the listed stores.
  package var stores: Set<Int>?
  /// Cancels the fetch, and receives the number of rows read; nil for a fetch that cannot be cancelled.
  package var control: FetchControl?

  package init(entity: Int) { self.entity = entity }
}

/// The result of a fetch, in the form of `FetchDescription.shape`.
package enum FetchResult: Sendable {
  case rows(FetchedRows)
  case keys([ObjectKey])
  case count(Int)
  /// The values of each row, in the order of the columns; the value of a to-one is a `.key`.
  case dictionaries([[Value]])
}
