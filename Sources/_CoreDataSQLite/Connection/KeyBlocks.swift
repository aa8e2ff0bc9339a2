// SPDX-License-Identifier: Apache-2.0

/// The primary keys that one connection has reserved in `Z_PRIMARYKEY` and has not assigned yet.
///
/// Without blocks, a program that saves one object at a time would write the page of `Z_PRIMARYKEY` in every
/// save. After several such saves, the connection therefore reserves a block of keys in advance. The keys
/// that remain when the connection closes stay unused, like the keys of deleted rows.
///
/// A block is valid only until another connection changes the file: a repair by another program may decrease
/// `Z_MAX`, and other programs may insert rows without increasing `Z_MAX`. `Connection.transaction(_:)` then
/// drops all blocks.
///
/// Source: this library's choice.
struct KeyBlocks {
  private struct Hierarchy {
    /// The first reserved key that is not assigned yet.
    var next: Int64 = 1
    /// The last reserved key.
    var last: Int64 = 0
    /// The number of consecutive small reservations, counted since another connection last changed the file.
    var reservations = 0

    /// The number of reserved keys that are not assigned yet.
    var rest: Int64 { last - next + 1 }
  }

  /// The reserved keys of each hierarchy, by the index of its root entity.
  private var hierarchies: [Hierarchy] = []
  /// The former values of the hierarchies that the current transaction has changed, in the order of the
  /// changes.
  private var former: [(root: Int, keys: Hierarchy)] = []

  /// The number of consecutive small reservations after which the next one reserves a block.
  static let patience = 8
  /// The number of keys in a block, and the maximum number of keys in a small reservation.
  static let size: Int64 = 64

  /// Returns the first of `count` consecutive keys of the hierarchy whose root entity has the index `root`;
  /// no row has one of these keys.
  ///
  /// Must be called inside a transaction. If too few reserved keys remain, calls `reserve` with the number of
  /// keys to reserve in the file; `reserve` returns the last of these keys.
  /// - Throws: errors of `reserve`.
  mutating func take(
    _ count: Int64,
    root: Int,
    reserve: (Int64) throws -> Int64
  ) rethrows -> Int64 {
    while hierarchies.count <= root { hierarchies.append(Hierarchy()) }
    var keys = hierarchies[root]
    former.append((root, keys))
    if keys.rest < count {
      let isSmall = count <= Self.size
      keys.reservations = isSmall ? keys.reservations + 1 : 0
      let block = keys.reservations > Self.patience ? Self.size : 0
      while keys.rest < count {
        let added = max(count - keys.rest, block)
        let last = try reserve(added)
        // A batch insertion on this connection may have used the keys after the block. The new keys then do
        // not continue the block, so the rest of the block is dropped.
        if last - added != keys.last { keys.next = last - added + 1 }
        keys.last = last
      }
    }
    let first = keys.next
    // The sum wraps around after the largest possible key; the caller checks the returned key.
    keys.next &+= count
    hierarchies[root] = keys
    return first
  }

  /// Ends a transaction that was committed.
  mutating func commit() { former.removeAll(keepingCapacity: true) }

  /// Ends a transaction that was rolled back: returns its keys to the blocks, and forgets its reservations,
  /// which are not in the file.
  mutating func rollBack() {
    while let last = former.popLast() { hierarchies[last.root] = last.keys }
  }
}
