// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// The rows of a whole store at one moment, for writing them to a file or to another store.
package struct StoreContent: Sendable {
  private let snapshot: MemorySnapshot
  /// The objects whose numbers in the file differ from those in memory; nil if there are no such objects.
  var numbers: FileNumbers?
  /// The last number assigned to an object of the store.
  package let lastNumber: Int64

  init(_ snapshot: MemorySnapshot, lastNumber: Int64) {
    self.snapshot = snapshot
    self.lastNumber = lastNumber
  }

  package var model: ModelDefinition { snapshot.schema.model }
  package var rowCount: Int { snapshot.state.tables.reduce(0) { $0 + $1.rowCount } }

  /// Calls `body` for each row of a hierarchy, in ascending order of the numbers in memory.
  ///
  /// The arguments are the number in the file, the entity, the chunk and the index of the row in the chunk.
  package func forEachRow(
    ofRoot root: Int,
    _ body: (Int64, EntityDefinition, RowChunk, Int) throws -> Void
  ) rethrows {
    let state = snapshot.state
    try state.tables[root].locations.forEach { number, location in
      try body(
        numbers?.number(number, ofRoot: root) ?? number,
        model.entities[Int(location.entity)],
        state.chunk(root, location),
        Int(location.row)
      )
    }
  }

  /// Returns the numbers of a to-many's members in their order, or an empty array for a transient to-many.
  ///
  /// `number`, the number of the owner, and the returned numbers are those in the file.
  package func members(of number: Int64, _ entity: EntityDefinition, _ slot: Int) -> [Int64] {
    guard let relation = snapshot.schema.relation(entity.index, slot) else { return [] }
    let owner = numbers?.memoryNumber(number, ofRoot: entity.root) ?? number
    let members = snapshot.state.members[relation][owner] ?? []
    guard let numbers else { return members }
    let root = snapshot.schema.relations[relation].memberRoot
    return members.map { numbers.number($0, ofRoot: root) }
  }

  /// Returns the number in the file of a to-one's destination; the to-one must not be null.
  package func reference(_ chunk: RowChunk, _ row: Int, _ slot: Int) -> Int64 {
    let key = chunk.key(row, slot)
    return numbers?.number(key.number, ofRoot: model.entities[key.entity].root) ?? key.number
  }

  /// A store in memory from which this content can be read while the original store is locked.
  package var reader: any RowOrigin { MemoryStore(reading: snapshot) }

  /// Entity → the last number assigned in the store, which no object number of the entity exceeds.
  package var lastNumbers: [Int: Int64] {
    Dictionary(uniqueKeysWithValues: model.entities.indices.map { ($0, lastNumber) })
  }
}
