// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

extension SaveBatch {
  /// A collection of updates that takes 32 bytes for each update.
  ///
  /// The slots and flags of an update are stored once for all updates that have the same slots and flags.
  package struct Updates: Sendable, RandomAccessCollection, ExpressibleByArrayLiteral {
    private struct Entry: Sendable {
      let key: ObjectKey
      let chunk: RowChunk
      let version: Int64
      let row: Int32
      let shape: Int32
    }
    private struct Shape: Sendable, Hashable {
      let slots: SlotSet
      let toManys: SlotSet
      let expectsVersion: Bool
      let needsRow: Bool
    }
    private var entries: [Entry] = []
    private var shapes: [Shape] = []
    private var indexes: [Shape: Int32] = [:]

    /// Creates an empty collection with room for `capacity` updates.
    package init(capacity: Int = 0) { entries.reserveCapacity(capacity) }
    package init(arrayLiteral updates: Update...) { self.init(updates) }
    package init(_ updates: some Sequence<Update>) { for update in updates { append(update) } }

    package var startIndex: Int { 0 }
    package var endIndex: Int { entries.count }

    package subscript(position: Int) -> Update {
      let entry = entries[position]
      let shape = shapes[Int(entry.shape)]
      return Update(
        key: entry.key,
        chunk: entry.chunk,
        row: Int(entry.row),
        slots: shape.slots,
        toManys: shape.toManys,
        expectedVersion: shape.expectsVersion ? entry.version : nil,
        needsRow: shape.needsRow
      )
    }

    package mutating func append(_ update: Update) {
      let shape = Shape(
        slots: update.slots,
        toManys: update.toManys,
        expectsVersion: update.expectedVersion != nil,
        needsRow: update.needsRow
      )
      entries.append(
        Entry(
          key: update.key,
          chunk: update.chunk,
          version: update.expectedVersion ?? 0,
          row: Int32(update.row),
          shape: addShape(shape)
        )
      )
    }

    package mutating func append(contentsOf updates: Updates) {
      if isEmpty {
        self = updates
      } else {
        for update in updates { append(update) }
      }
    }

    private mutating func addShape(_ shape: Shape) -> Int32 {
      // Adjacent updates usually have the same shape.
      if let last = entries.last, shapes[Int(last.shape)] == shape { return last.shape }
      if let known = indexes[shape] { return known }
      let index = Int32(shapes.count)
      shapes.append(shape)
      indexes[shape] = index
      return index
    }
  }
}
