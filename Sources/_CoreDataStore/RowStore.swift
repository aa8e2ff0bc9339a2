// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A store of rows: the interface between the objects of a context and the form in which a store keeps them.
///
/// A store may be called from any thread; saves exclude each other. Implemented by the SQLite store and by
/// the in-memory store.
package protocol RowStore: RowOrigin {
  /// The store's UUID as text.
  var identifier: String { get }
  /// Apple's store type: `SQLite` or `InMemory`.
  var type: String { get }
  var model: ModelDefinition { get }
  /// The index of this store in its coordinator; part of the store's keys.
  var index: Int { get }
  var isReadOnly: Bool { get }

  /// Returns the store's metadata as the values of a property list, with Apple's keys.
  func metadata() throws -> StoreMetadata
  /// Replaces the application's part of the metadata immediately; the framework's keys do not change.
  func setMetadata(_ metadata: StoreMetadata) throws

  /// Returns one permanent key for a new object of each of `entities`, in the same order.
  ///
  /// A primary key is never assigned twice in one entity hierarchy.
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey]

  /// Writes `batch` completely in one transaction, or not at all.
  ///
  /// `body` runs after all checks, when only the commit can still fail, so that several stores can be saved
  /// together. If `body` throws an error, nothing is written.
  /// - Throws: `StoreError`; `.conflict` with the keys of rows that another save has changed, deleted or
  ///   inserted; `.constraint` with the keys of rows that are not unique; errors of `body`.
  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome

  /// Returns the store as it is now, independent of later writes; nil if the store cannot keep a moment.
  ///
  /// Writers are not blocked. The moment is kept until the result is released or the store is closed.
  /// - Throws: `StoreError`.
  func generation() throws -> (any RowOrigin)?

  /// Returns a token that is different after every change of a row; nil if the store has no token or cannot
  /// determine it.
  func stateToken() -> Data?

  /// Calls `changed` after commits of other connections or processes, once for one or several commits;
  /// returns nil if the store cannot detect such commits, or if there can be none.
  func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)?

  /// Closes the store's file, or discards the rows of an in-memory store. Later reads and writes throw
  /// `StoreError.closed`.
  func close()
}

extension RowStore {
  /// Returns nil, because the store cannot keep a moment.
  package func generation() throws -> (any RowOrigin)? { nil }

  /// Returns nil, because the store has no token of its state.
  package func stateToken() -> Data? { nil }

  /// Returns nil, because only this store can write its rows.
  package func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)? { nil }

  /// Writes `batch` completely in one transaction, or not at all.
  package func save(_ batch: SaveBatch) throws -> SaveOutcome {
    try save(batch, beforeCommit: {})
  }
}

/// Reports commits that other connections or processes make to a store, until the watch is cancelled.
package protocol StoreWatch: Sendable {
  /// Stops the reports; has no effect if they are stopped already.
  func cancel()
}
