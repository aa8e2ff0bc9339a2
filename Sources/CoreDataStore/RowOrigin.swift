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

  /// The members of a to-many and their rows: what prefetching reads. Two statements for all the
  /// owners, one where the rows themselves say whose they are.
  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows
}

/// The members of several owners, and each member's row once.
package struct RelatedRows: Sendable {
  /// For each owner its keys.
  package var members: [[ObjectKey]]
  package var rows: FetchedRows
  package init(members: [[ObjectKey]], rows: FetchedRows) {
    self.members = members
    self.rows = rows
  }
}

extension RowOrigin {
  package func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let members = try members(of: owners, slot: slot)
    var seen: Set<ObjectKey> = []
    let keys = members.joined().filter { !$0.isTemporary && seen.insert($0).inserted }
    return RelatedRows(members: members, rows: try rows(for: keys))
  }
}
