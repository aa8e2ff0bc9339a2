// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A persistent store, which reads and writes rows for contexts, independently of the file format.
///
/// Can be used from any thread; saves run one at a time. The SQLite store and the in-memory store conform to
/// this protocol.
package protocol RowStore: RowOrigin {
  /// The store's UUID as text.
  var identifier: String { get }
  /// Apple's store type: `SQLite` or `InMemory`.
  var type: String { get }
  var model: ModelDefinition { get }
  /// The index of this store in its coordinator; every key of the store contains this index.
  var index: Int { get }
  var isReadOnly: Bool { get }

  /// Returns the store's metadata: property-list values under Apple's keys.
  func metadata() throws -> StoreMetadata
  /// Replaces the application's entries in the metadata immediately, without waiting for a save; the
  /// framework's entries do not change.
  func setMetadata(_ metadata: StoreMetadata) throws

  /// Returns a new permanent key for each of `entities`, which are entity indexes, in the same order.
  ///
  /// The store assigns a primary key only once in an entity hierarchy.
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey]

  /// Writes `batch` in one transaction.
  ///
  /// `body` runs after all checks, when only the commit can still fail, so that several stores can be saved
  /// together. If `body` throws an error, nothing is written.
  /// - Throws: `StoreError`; `.conflict` with the keys of rows that another save has changed, deleted or
  ///   inserted; `.constraint` with the keys of rows that are not unique; errors of `body`.
  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome

  /// Returns a view of the store's current state; nil if the store does not support query generations.
  ///
  /// Later writes do not change the view, and the view does not block writers. The view is valid until it is
  /// released or the store is closed.
  /// - Throws: `StoreError`.
  func generation() throws -> (any RowOrigin)?

  /// Returns a token that changes with every change of a row; nil if the store does not support such tokens,
  /// or if the token cannot be read.
  func stateToken() -> Data?

  /// Calls `changed` after commits of other connections or processes; one call may report several commits.
  ///
  /// Returns nil if the store cannot detect such commits, or if no other connection can write to the store.
  func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)?

  /// Closes the store's file, or discards the rows of an in-memory store.
  ///
  /// Later reads and writes throw `StoreError.closed`.
  func close()
}

extension RowStore {
  /// Returns nil: by default, a store does not support query generations.
  package func generation() throws -> (any RowOrigin)? { nil }

  /// Returns nil: by default, a store has no token of its state.
  package func stateToken() -> Data? { nil }

  /// Returns nil: by default, no other connection can write to the store.
  package func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)? { nil }

  /// Writes `batch` in one transaction.
  package func save(_ batch: SaveBatch) throws -> SaveOutcome {
    try save(batch, beforeCommit: {})
  }
}

/// Watches a store for commits of other connections or processes, until `cancel()` is called.
package protocol StoreWatch: Sendable {
  /// Stops the watch; has no effect if the watch is already stopped.
  func cancel()
}
