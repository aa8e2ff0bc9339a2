// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

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
  /// where the relationship is ordered; none for a transient one. One statement for all the owners,
  /// which share an entity hierarchy. An owner that is named twice has its members in both places.
  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]]

  /// The members of a to-many and their rows: what prefetching reads. Two statements for all the
  /// owners, one where the rows themselves say whose they are.
  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows

  /// The row of `key`, as a fault that fires needs it; nil where there is none.
  ///
  /// It is added to `open`, a chunk of the caller's own for rows of the key's entity, where it fits
  /// there without moving what the chunk has; else it is in another chunk.
  func row(for key: ObjectKey, into open: RowChunk?) throws -> LoadedRow?

  /// The members of one to-many of one owner with their rows, in the members' order, by one statement;
  /// nil where keys and rows do not lie in one place.
  func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows?
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

/// One row that was read.
package struct LoadedRow: Sendable {
  /// Its entity may be below the one that was asked for.
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
    let members = try members(of: owners, slot: slot)
    var seen: Set<ObjectKey> = []
    let keys = members.joined().filter { !$0.isTemporary && seen.insert($0).inserted }
    return RelatedRows(members: members, rows: try rows(for: keys))
  }
}
