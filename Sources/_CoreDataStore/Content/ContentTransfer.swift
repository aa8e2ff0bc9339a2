// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// All objects of a store with their keys in memory, to be written to another store.
package struct ContentTransfer: TransferredContent, Sendable {
  package let model: ModelDefinition
  /// The objects as inserts with permanent keys, and their links.
  package private(set) var objects = SaveBatch()
  /// Root entity → the greatest number that was ever assigned to an object of its hierarchy.
  package private(set) var lastNumbers: [Int: Int64] = [:]
  package let metadata: StoreMetadata

  /// Creates a transfer; the inserts in `objects` must have permanent keys.
  package init(
    model: ModelDefinition,
    objects: SaveBatch,
    lastNumbers: [Int: Int64],
    metadata: StoreMetadata
  ) {
    self.model = model
    self.objects = objects
    self.lastNumbers = lastNumbers
    self.metadata = metadata
  }

  /// Reads all objects of a content into memory.
  ///
  /// - Throws: errors of the content.
  package init(_ content: some TransferredContent) throws {
    model = content.model
    metadata = content.metadata
    lastNumbers = try content.forEachBatch { batch in
      objects.inserts += batch.inserts
      objects.links += batch.links
      objects.orders += batch.orders
    }
  }

  /// Reads all objects of a store.
  ///
  /// The caller must prevent changes to the store during the call.
  package init(
    of store: any RowOrigin,
    model: ModelDefinition,
    metadata: StoreMetadata,
    lastNumbers: [Int: Int64]
  ) throws {
    try self.init(
      ContentSource(of: store, model: model, metadata: metadata, lastNumbers: lastNumbers)
    )
  }

  package func forEachBatch(_ body: (SaveBatch) throws -> Void) throws -> [Int: Int64] {
    if !objects.isEmpty { try body(objects) }
    return lastNumbers
  }
}
