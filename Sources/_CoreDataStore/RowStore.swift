// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A place where rows are kept: the seam between what changed and how it is stored.
///
/// A store is safe to call from any thread; saves exclude each other, reads run beside them.
/// Implemented by the SQLite store and by the in-memory store.
package protocol RowStore: RowOrigin {
  /// The store's UUID, upper-case text.
  var identifier: String { get }
  /// Apple's store type: `SQLite`, `InMemory`.
  var type: String { get }
  var model: ModelDefinition { get }
  /// The index that this store's keys carry.
  var index: Int { get }
  var isReadOnly: Bool { get }

  /// The store's metadata as a property list's values, Apple's keys included.
  func metadata() throws -> StoreMetadata
  /// Replaces the metadata that belong to the application; written by itself or with the next save.
  func setMetadata(_ metadata: StoreMetadata) throws

  /// Permanent keys for new objects of these entities, in their order; numbers are never given twice.
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey]

  /// Writes all of `batch` in one transaction or nothing.
  ///
  /// `body` runs when everything is checked and only the commit can still fail, so that several stores
  /// can be saved together; where it throws, nothing is written.
  /// - Throws: `StoreError`; `.conflict` names every row whose version is not the expected one; what
  ///   `body` throws.
  func save(_ batch: SaveBatch, beforeCommit body: () throws -> Void) throws -> SaveOutcome

  /// The store as it is now, whatever is written to it later; nil where the store cannot keep a moment.
  ///
  /// Writers go on meanwhile. It lasts as long as somebody holds it, or until the store is closed.
  /// - Throws: `StoreError`.
  func generation() throws -> (any RowOrigin)?

  /// Which state the rows are in: as long as it gives equal bytes, nobody has changed any. Nil where the
  /// store cannot tell.
  func stateToken() -> Data?

  /// Calls `changed` after commits of others, several of which may be one call; nil where nobody else can
  /// write to the store.
  func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)?

  /// Ends the use of the store's file. A later call throws `StoreError.closed`.
  func close()
}

extension RowStore {
  /// No moment can be kept.
  package func generation() throws -> (any RowOrigin)? { nil }

  /// Nil: the store cannot tell.
  package func stateToken() -> Data? { nil }

  /// Nil: nobody else can write to the store.
  package func watch(_ changed: @escaping @Sendable () -> Void) -> (any StoreWatch)? { nil }

  /// Writes all of `batch` in one transaction or nothing.
  package func save(_ batch: SaveBatch) throws -> SaveOutcome {
    try save(batch, beforeCommit: {})
  }
}

/// Tells when a store is written to behind its back, until it is cancelled.
package protocol StoreWatch: Sendable {
  /// Nothing is told any more; twice is as good as once.
  func cancel()
}
