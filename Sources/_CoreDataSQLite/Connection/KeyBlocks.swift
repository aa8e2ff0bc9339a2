// SPDX-License-Identifier: Apache-2.0

/// The primary keys that one connection has reserved in `Z_PRIMARYKEY` and has not assigned yet.
///
/// Without blocks, a program that saves one object at a time would write the page of `Z_PRIMARYKEY` in every
/// save. After several such saves, the connection therefore reserves a block of keys in advance. The keys
/// that remain when the connection closes stay unused, like the keys of deleted rows.
///
/// A block is valid only until another connection changes the file: a repair by another program may decrease
/// `Z_MAX`, and other programs may insert rows without increasing `Z_MAX`.
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

  /// The reserved keys of each hierarchy, by the entity number of its root entity.
  private var hierarchies: [Int64: Hierarchy] = [:]
  /// The result of `Connection.contentNumber()` for which `hierarchies` is valid.
  private var contentNumber: Int64?

  /// The number of consecutive small reservations after which the next one reserves a block.
  static let patience = 8
  /// The number of keys in a block, and the maximum number of keys in a small reservation.
  static let size: Int64 = 64

  /// Returns the first of `count` consecutive keys of the root entity `entity`, which are not used by any row.
  ///
  /// Must be called inside a transaction; `contentNumber` is the result of `Connection.contentNumber()` in
  /// that transaction. If too few reserved keys remain, calls `reserve` with the number of keys to reserve in
  /// the file; `reserve` returns the last of these keys.
  /// - Throws: errors of `reserve`.
  mutating func take(
    _ count: Int64,
    of entity: Int64,
    at contentNumber: Int64,
    reserve: (Int64) throws -> Int64
  ) rethrows -> Int64 {
    if contentNumber != self.contentNumber { self = KeyBlocks(contentNumber: contentNumber) }
    var keys = hierarchies[entity] ?? Hierarchy()
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
    defer { hierarchies[entity] = keys }
    // The sum wraps around after the largest possible key; the caller checks the returned key.
    keys.next &+= count
    return keys.next &- count
  }
}
