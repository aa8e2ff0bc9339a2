// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// Where a context's rows come from: a store, or the parent of a child context.
///
/// Implemented by every `RowStore`, and by what stands for a parent context.
/// Source: docs/decisions/0005-child-contexts.md.
package protocol RowOrigin: AnyObject, Sendable {
  /// - Throws: `StoreError`.
  /// - Complexity: a number of statements that depends on the description, never on the rows.
  func fetch(_ description: FetchDescription) throws -> FetchResult

  /// What of a fetch the store answers, where `fetch` threw `.unsayable`.
  ///
  /// - Throws: `StoreError.invalidRequest` for what means nothing anywhere.
  func divided(_ description: FetchDescription) throws -> DividedFetch

  /// The rows of `keys`, in any order; keys without a row are left out. One statement for each
  /// hierarchy and block of some hundred keys.
  func rows(for keys: [ObjectKey]) throws -> FetchedRows

  /// The members of the to-many `slot` of each of `owners`: for each owner its keys, in their order
  /// where the relationship is ordered. One statement for all the owners, which share an entity
  /// hierarchy.
  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]
}
