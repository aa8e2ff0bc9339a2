// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A source of a context's rows: a store, a query generation of a store, or the parent of a child context.
///
/// Source: docs/decisions/0005-child-contexts.md.
package protocol RowOrigin: AnyObject, Sendable {
  /// Executes a fetch and returns its result.
  ///
  /// - Throws: `StoreError`; `.inexpressible` if the source cannot express the whole fetch.
  /// - Complexity: the number of statements depends on the description, not on the number of rows.
  func fetch(_ description: FetchDescription) throws -> FetchResult

  /// Divides a fetch that `fetch` has rejected as `.inexpressible` into a part for this source and a part for
  /// the caller.
  ///
  /// - Throws: `StoreError.invalidRequest` for a request that is invalid for every kind of store.
  func divided(_ description: FetchDescription) throws -> DividedFetch

  /// Returns the rows of `keys`, in any order; keys without a row are left out.
  ///
  /// - Complexity: one statement for each hierarchy and block of 20,000 keys.
  func rows(for keys: [ObjectKey]) throws -> FetchedRows

  /// Returns the keys of the members of the to-many `slot`, for each of `owners`.
  ///
  /// The members of an ordered relationship are in order. A transient to-many has no stored members. All
  /// owners must belong to the same entity hierarchy; an owner may be listed more than once.
  /// - Complexity: one statement for all owners.
  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]

  /// Returns the members of the to-many `slot` for each of `owners`, and the rows of all members; used for
  /// prefetching.
  ///
  /// - Complexity: the statements of `members(of:slot:)` and `rows(for:)`, or fewer if the rows of the
  ///   members refer to their owner.
  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows

  /// Returns the row of `key` for a fault that fires; nil if there is no row.
  ///
  /// `open` is the caller's chunk for rows of the key's entity. The source may append the row to `open` if
  /// `open` has room for it without reallocation. Otherwise the row is in another chunk.
  func row(for key: ObjectKey, into open: RowChunk?) throws -> LoadedRow?

  /// Returns the members of one owner's to-many with their rows, in the order of the members.
  ///
  /// The result is nil if this source cannot read keys and rows with one statement.
  /// - Complexity: one statement.
  func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows?
}

/// The members of several owners, and one row for each distinct member.
package struct RelatedRows: Sendable {
  /// The keys of each owner's members, in the order of the owners.
  package var members: [[ObjectKey]]
  package var rows: FetchedRows
  package init(members: [[ObjectKey]], rows: FetchedRows) {
    self.members = members
    self.rows = rows
  }
}

/// One row that was read: its key, and its place in a chunk.
package struct LoadedRow: Sendable {
  /// The key of the row; this key's entity can be a subentity of the requested key's entity.
  package let key: ObjectKey
  package let chunk: RowChunk
  package let row: Int
  package init(key: ObjectKey, chunk: RowChunk, row: Int) {
    self.key = key
    self.chunk = chunk
    self.row = row
  }
}

extension RowOrigin {
  package func row(for key: ObjectKey, into open: RowChunk?) throws -> LoadedRow? {
    let rows = try rows(for: [key])
    guard let found = rows.keys.first, let run = rows.runs.first else { return nil }
    return LoadedRow(key: found, chunk: run.chunk, row: run.first)
  }

  package func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows? { nil }

  package func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    try relatedByMembers(to: owners, slot: slot)
  }

  /// Returns the members of the to-many `slot` for each of `owners`, and the rows of all members.
  ///
  /// Reads the keys first, then the rows. Members with temporary keys have no row in the result.
  package func relatedByMembers(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    let members = try members(of: owners, slot: slot)
    var seen: Set<ObjectKey> = []
    let keys = members.joined().filter { !$0.isTemporary && seen.insert($0).inserted }
    return RelatedRows(members: members, rows: try rows(for: keys))
  }
}
