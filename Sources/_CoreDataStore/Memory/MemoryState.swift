// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// All rows of an in-memory store at one moment.
///
/// A chunk does not change after the save that created it, so any thread can read a copy of the state.
struct MemoryState: Sendable {
  struct Location: Sendable {
    var chunk: Int32
    var row: Int32
    var entity: Int32
    static let none = Location(chunk: -1, row: 0, entity: 0)
    var isSet: Bool { chunk >= 0 }
  }

  /// The rows of one entity hierarchy.
  struct Table: Sendable {
    var locations = LocationTable()
    var chunks: [RowChunk] = []
    var rowCount = 0
    /// The number of rows in all chunks, including old versions and deleted rows.
    var total = 0
  }

  let index: Int
  /// Root entity → the table of its hierarchy; the tables of other entities stay empty.
  var tables: [Table]
  /// Number of the to-many → primary key of the owner → primary keys of the members, in their order.
  var members: [[Int64: [Int64]]]
  /// Index of the uniqueness constraint → unique values → primary key of the row with these values.
  var unique: [[UniqueValues: Int64]]

  init(schema: MemorySchema, index: Int) {
    self.index = index
    tables = schema.model.entities.map { _ in Table() }
    members = schema.relations.map { _ in [:] }
    unique = schema.constraints.all.map { _ in [:] }
  }

  func location(_ root: Int, _ number: Int64) -> Location? {
    let location = tables[root].locations[number]
    return location.isSet ? location : nil
  }

  /// Returns the key of a row; nil if the row does not exist.
  ///
  /// The key contains the entity of the row, which can be a subentity of `root`.
  func key(_ root: Int, _ number: Int64) -> ObjectKey? {
    location(root, number).flatMap {
      ObjectKey(store: index, entity: Int($0.entity), number: number)
    }
  }

  func chunk(_ root: Int, _ location: Location) -> RowChunk {
    tables[root].chunks[Int(location.chunk)]
  }
}
