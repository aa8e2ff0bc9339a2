// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataSQL
import _CoreDataStore

/// Assigns primary keys to new rows, from blocks that the sequences of the tables reserve.
///
/// A block is reserved for this store alone, so most saves need no round trip for their keys. Numbers that are
/// left when the store is closed are never used.
final class PostgresKeys: Sendable {
  private let layout: Layout
  private let storeIndex: Int
  private let path: String
  private struct Free {
    /// Root entity → the ranges of numbers that are reserved and not assigned.
    var ranges: [Int: [Range<Int64>]] = [:]
    /// The number of lost connections before the ranges were reserved.
    var losses = 0
  }
  private let free = Mutex(Free())

  init(_ layout: Layout, storeIndex: Int, path: String) {
    self.layout = layout
    self.storeIndex = storeIndex
    self.path = path
  }

  /// Returns a new key for each of the entities, in order.
  ///
  /// `reserve` runs a statement, whose parameter is the number of blocks, and returns the first number of each
  /// block. Blocks from before the last of `losses` lost connections are not used: the server may be another
  /// one now, which has not reserved them.
  /// - Throws: `StoreError.invalidRequest` for an entity that the model does not have; `.corrupt` if no number
  ///   is left; errors of `reserve`.
  func take(
    _ entities: [Int],
    losses: Int,
    reserve: (_ text: String, _ blocks: Int64) throws -> [Int64]
  ) throws -> [ObjectKey] {
    free.withLock { if $0.losses != losses { $0 = Free(losses: losses) } }
    var counts: [Int: Int64] = [:]
    for entity in entities {
      guard layout.model.entities.indices.contains(entity) else {
        throw StoreError(
          .invalidRequest,
          "no primary key can be assigned to a new object, because the store's model has no entity with the "
            + "index \(entity)",
          path: path
        )
      }
      counts[layout.model.entities[entity].root, default: 0] += 1
    }
    var ranges: [Int: [Range<Int64>]] = [:]
    for (root, count) in counts.sorted(by: { $0.key < $1.key }) {
      ranges[root] = try numbers(count, root, reserve)
    }
    var numbers = ranges.mapValues { $0.joined().makeIterator() }
    var keys: [ObjectKey] = []
    keys.reserveCapacity(entities.count)
    while keys.count < entities.count {
      // Adjacent rows of one entity have their keys from one iterator.
      let entity = entities[keys.count]
      let root = layout.model.entities[entity].root
      guard var own = numbers[root] else { throw used(entity) }
      while keys.count < entities.count, entities[keys.count] == entity {
        guard let number = own.next(),
          let key = ObjectKey(store: storeIndex, entity: entity, number: number)
        else { throw used(entity) }
        keys.append(key)
      }
      numbers[root] = own
    }
    return keys
  }

  private func used(_ entity: Int) -> StoreError {
    StoreError(
      .corrupt,
      "no primary key is left for new objects of entity \(layout.model.entities[entity].name); set the "
        + "sequence of the column z_pk of \(layout.entities[entity].table) to a smaller number",
      path: path
    )
  }

  /// Returns ranges with `count` numbers, and keeps what is left of the last block.
  private func numbers(
    _ count: Int64,
    _ root: Int,
    _ reserve: (String, Int64) throws -> [Int64]
  ) throws -> [Range<Int64>] {
    var taken = free.withLock { $0.ranges[root]?.take(count) ?? [] }
    let missing = count - taken.reduce(0) { $0 + Int64($1.count) }
    if missing <= 0 { return taken }
    let table = PostgresName.literal(layout.entities[root].table)
    // Not inside the lock, because it waits for the server.
    var new = try reserve(
      "SELECT nextval(pg_get_serial_sequence(\(table), 'z_pk')) FROM generate_series(1, $1)",
      (missing + PostgresSchema.block - 1) / PostgresSchema.block
    ).map { $0..<$0 + PostgresSchema.block }
    taken += new.take(missing)
    free.withLock { $0.ranges[root, default: []] += new }
    return taken
  }
}

extension [Range<Int64>] {
  /// Removes and returns up to `count` numbers.
  fileprivate mutating func take(_ count: Int64) -> [Range<Int64>] {
    var taken: [Range<Int64>] = []
    var missing = count
    while missing > 0, let first = first {
      let size = Swift.min(missing, Int64(first.count))
      taken.append(first.lowerBound..<first.lowerBound + size)
      if size == Int64(first.count) {
        removeFirst()
      } else {
        self[0] = first.lowerBound + size..<first.upperBound
      }
      missing -= size
    }
    return taken
  }
}
#endif
