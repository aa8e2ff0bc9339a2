// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataStore

/// A new, empty store whose fetches are compared with the evaluation in memory.
package struct LawStore {
  let store: any RowStore
  /// What must live as long as the store is used.
  private let owner: AnyObject?
  /// Whether the store refuses by itself what cannot be evaluated.
  ///
  /// A class of the program may stop instead.
  let refuses: Bool
  /// Returns the statement of a fetch, for the report of a failure.
  let statement: (FetchDescription) -> String?

  package init(
    _ store: any RowStore,
    owner: AnyObject? = nil,
    refuses: Bool = true,
    statement: @escaping (FetchDescription) -> String? = { _ in nil }
  ) {
    self.store = store
    self.owner = owner
    self.refuses = refuses
    self.statement = statement
  }
}
