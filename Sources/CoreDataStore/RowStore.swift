// SPDX-License-Identifier: Apache-2.0

import CoreDataModel

/// A place where rows are kept: the seam between what changed and how it is stored.
///
/// A store is safe to call from any thread; saves exclude each other, reads run beside them.
/// Implemented by the SQLite store and by the in-memory store.
package protocol RowStore: AnyObject, Sendable {
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

  /// Permanent keys for new objects of these entities, in their order; numbers are never given twice.
  func reserveKeys(for entities: [Int]) throws -> [ObjectKey]

  /// Writes all of `batch` in one transaction or nothing.
  ///
  /// - Throws: `StoreError`; `.conflict` names every row whose version is not the expected one.
  func save(_ batch: SaveBatch) throws -> SaveOutcome

  /// Ends the use of the store's file. A later call throws `StoreError.closed`.
  func close()
}
