// SPDX-License-Identifier: Apache-2.0

/// The primary keys that one connection has reserved in `Z_PRIMARYKEY` and has not assigned yet.
///
/// A program that saves single objects one after the other would write the page of `Z_PRIMARYKEY` as often as the
/// pages of its rows. After some such saves, the connection therefore reserves a block of keys in advance. The
/// keys that remain when the connection closes are never used, as are those of deleted rows.
///
/// A block is only valid as long as no other connection has changed the file: a repair by another program may
/// decrease `Z_MAX`, and other programs may insert rows without increasing it.
///
/// Source: this library's choice.
struct KeyBlocks {
  private struct Hierarchy {
    /// The first reserved key that is not assigned.
    var next: Int64 = 1
    /// The last reserved key.
    var last: Int64 = 0
    /// The number of small reservations since another connection changed the file.
    var reservations = 0

    /// The number of reserved keys that are not assigned.
    var rest: Int64 { last - next + 1 }
  }

  /// By the entity number of the root entity.
  private var hierarchies: [Int64: Hierarchy] = [:]
  /// The number of the file's content (`Connection.contentNumber()`) for which `hierarchies` is valid.
  private var contentNumber: Int64?

  /// The number of small reservations after which a block is reserved.
  static let patience = 8
  /// The number of keys in a block; a reservation of more keys is not small.
  static let size: Int64 = 64

  /// Returns the first of `count` consecutive keys of the root entity `entity`, which are not used by any row.
  ///
  /// Must be called inside a transaction; `contentNumber` is the number of the file's content in it. If the
  /// block has too few keys, calls `reserve`, which reserves a number of keys in the file and returns the last.
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
        // A batch insertion on this connection may have taken the keys after the block.
        if last - added != keys.last { keys.next = last - added + 1 }
        keys.last = last
      }
    }
    defer { hierarchies[entity] = keys }
    // Wraps after the last key; the caller checks the returned key.
    keys.next &+= count
    return keys.next &- count
  }
}
