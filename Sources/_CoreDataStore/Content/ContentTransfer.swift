// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// All objects of a store with their keys, to be written to another store.
package struct ContentTransfer: Sendable {
  package let model: ModelDefinition
  /// The objects as inserts with permanent keys, and their links.
  package private(set) var objects = SaveBatch()
  /// Root entity → the greatest number that was ever assigned to an object of its hierarchy.
  package private(set) var lastNumbers: [Int: Int64]
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

  /// Reads all objects of a store.
  ///
  /// The caller must prevent changes to the store during the call.
  /// - Complexity: one statement for the rows of each hierarchy, and one for each to-many of each entity.
  package init(
    of store: any RowOrigin,
    model: ModelDefinition,
    metadata: StoreMetadata,
    lastNumbers: [Int: Int64]
  ) throws {
    self.model = model
    self.metadata = metadata
    self.lastNumbers = lastNumbers
    for root in model.entities where root.root == root.index {
      guard case .rows(let rows) = try store.fetch(FetchDescription(entity: root.index)) else {
        continue
      }
      rows.forEach { key, chunk, row in
        objects.inserts.append(SaveBatch.Insert(key: key, chunk: chunk, row: row))
        self.lastNumbers[root.index] = max(self.lastNumbers[root.index] ?? 0, key.number)
      }
      let owners = Dictionary(grouping: rows.keys, by: \.entity)
      for (entity, keys) in owners.sorted(by: { $0.key < $1.key }) {
        for slot in model.entities[entity].toManySlots {
          try addMembers(of: keys, model.entities[entity], slot, store)
        }
      }
    }
  }

  private mutating func addMembers(
    of owners: [ObjectKey],
    _ entity: EntityDefinition,
    _ slot: Int,
    _ store: any RowOrigin
  ) throws {
    let property = entity.properties[slot]
    guard let relationship = property.relationship, !property.isTransient else { return }
    let isLinked = model.ownsLinks(property, relationship)
    if !isLinked && !relationship.isOrdered { return }
    for (owner, members) in zip(owners, try store.members(of: owners, slot: slot))
    where !members.isEmpty {
      if isLinked {
        objects.links.append(.init(owner: owner, slot: slot, added: members, removed: []))
      }
      if relationship.isOrdered {
        objects.orders.append(.init(owner: owner, slot: slot, members: members))
      }
    }
  }
}
