// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import _CoreDataModel
import _CoreDataStore

/// A view of a store at one moment: its connection has an open transaction, which sees the rows of that moment.
///
/// Source: PostgreSQL, “Transaction Isolation”, Repeatable Read.
final class PostgresMoment: RowOrigin, @unchecked Sendable {
  // Unchecked: the lock guards the connection.
  private let store: PostgresStore
  private let lock = NSLock()
  private var connection: PostgresConnection?

  init(_ store: PostgresStore, _ connection: PostgresConnection) {
    self.store = store
    self.connection = connection
  }

  private func read<T>(_ body: (PostgresReads) throws -> T) throws -> T {
    lock.lock()
    defer { lock.unlock() }
    guard let connection else { throw store.pool.closed }
    return try body(store.reads(connection))
  }

  /// Closes the connection; later reads throw `StoreError.closed`.
  func close() { lock.withLock { connection = nil } }

  func fetch(_ description: FetchDescription) throws -> FetchResult {
    try read { try $0.fetch(description) }
  }

  func divided(_ description: FetchDescription) throws -> DividedFetch {
    try store.divided(description)
  }

  func rows(for keys: [ObjectKey]) throws -> FetchedRows { try read { try $0.rows(for: keys) } }

  func members(of owners: [ObjectKey], slot: Int) throws -> [[ObjectKey]] {
    try read { try $0.members(of: owners, slot: slot) }
  }

  func memberRows(of owner: ObjectKey, slot: Int) throws -> FetchedRows? {
    try read { try $0.memberRows(of: [owner], slot: slot) }
  }

  func related(to owners: [ObjectKey], slot: Int) throws -> RelatedRows {
    if let related = try read({ try $0.related(to: owners, slot: slot) }) { return related }
    return try relatedByMembers(to: owners, slot: slot)
  }
}
#endif
