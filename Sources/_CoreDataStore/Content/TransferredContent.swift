// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// All objects of a store with their keys, in the order in which they are written to another store.
package protocol TransferredContent {
  var model: ModelDefinition { get }
  /// The metadata of the store from which the objects come.
  var metadata: StoreMetadata { get }

  /// Calls `body` with all objects as inserts with permanent keys, then with the members of to-manys, and
  /// returns the greatest number that was ever assigned in each hierarchy, by its root entity.
  ///
  /// A row may refer to an object of a later batch. No row of a batch refers to a temporary key.
  /// - Throws: errors of the store from which the objects come, and of `body`.
  func forEachBatch(_ body: (SaveBatch) throws -> Void) throws -> [Int: Int64]
}

/// The objects of a store, which are read in blocks.
package struct ContentSource: TransferredContent {
  /// The number of objects in a batch.
  package static let blockSize = 5_000

  package let model: ModelDefinition
  package let metadata: StoreMetadata
  package let origin: any RowOrigin
  private let lastNumbers: [Int: Int64]

  /// Creates the content of `origin`, which must not change while it is read.
  ///
  /// `lastNumbers` contains the greatest numbers that were ever assigned, as far as they are known.
  package init(
    of origin: any RowOrigin,
    model: ModelDefinition,
    metadata: StoreMetadata,
    lastNumbers: [Int: Int64]
  ) {
    self.origin = origin
    self.model = model
    self.metadata = metadata
    self.lastNumbers = lastNumbers
  }

  /// - Complexity: a few statements for each hierarchy, and for each block of objects and to-many. One block,
  ///   and the keys of one hierarchy, eight bytes each, are in memory.
  package func forEachBatch(_ body: (SaveBatch) throws -> Void) throws -> [Int: Int64] {
    var last = lastNumbers
    for root in model.entities where root.root == root.index {
      try forEachBlock(of: root) { keys in
        var batch = SaveBatch()
        batch.inserts.reserveCapacity(keys.count)
        try origin.rows(for: keys).forEach { key, chunk, row in
          batch.inserts.append(SaveBatch.Insert(key: key, chunk: chunk, row: row))
        }
        last[root.index] = max(last[root.index] ?? 0, keys.last?.number ?? 0)
        try body(batch)
      }
    }
    for root in model.entities where root.root == root.index && hasMembers(root) {
      try forEachBlock(of: root) { keys in
        let batch = try members(of: keys)
        if !batch.isEmpty { try body(batch) }
      }
    }
    return last
  }

  /// Calls `body` with the keys of a hierarchy in blocks, by ascending numbers.
  private func forEachBlock(
    of root: EntityDefinition,
    _ body: ([ObjectKey]) throws -> Void
  ) throws {
    var description = FetchDescription(entity: root.index)
    description.shape = .keys
    guard case .keys(var keys) = try origin.fetch(description) else { return }
    keys.sort { $0.number < $1.number }
    for start in stride(from: 0, to: keys.count, by: Self.blockSize) {
      try body(Array(keys[start..<min(start + Self.blockSize, keys.count)]))
    }
  }

  private func hasMembers(_ root: EntityDefinition) -> Bool {
    root.family.contains { !writtenSlots(model.entities[$0]).isEmpty }
  }

  /// Returns the slots of the to-manys whose members or order the rows of the members do not contain.
  private func writtenSlots(_ entity: EntityDefinition) -> [Int] {
    entity.toManySlots.filter { slot in
      let property = entity.properties[slot]
      guard let relationship = property.relationship, !property.isTransient else { return false }
      return relationship.isOrdered || model.ownsLinks(property, relationship)
    }
  }

  private func members(of keys: [ObjectKey]) throws -> SaveBatch {
    var batch = SaveBatch()
    for (index, owners) in Dictionary(grouping: keys, by: \.entity).sorted(by: { $0.key < $1.key })
    {
      let entity = model.entities[index]
      for slot in writtenSlots(entity) {
        let property = entity.properties[slot]
        guard let relationship = property.relationship else { continue }
        let isLinked = model.ownsLinks(property, relationship)
        for (owner, members) in zip(owners, try origin.members(of: owners, slot: slot))
        where !members.isEmpty {
          if isLinked {
            batch.links.append(.init(owner: owner, slot: slot, added: members, removed: []))
          }
          if relationship.isOrdered {
            batch.orders.append(.init(owner: owner, slot: slot, members: members))
          }
        }
      }
    }
    return batch
  }
}
