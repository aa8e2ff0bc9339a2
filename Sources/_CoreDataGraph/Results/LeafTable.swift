// SPDX-License-Identifier: Apache-2.0

/// A hash table that maps an object to the ID of its leaf, with open addressing and eight bytes per cell.
///
/// A cell holds 32 bits of the object's hash, and the leaf ID. Only the leaf holds the object itself.
struct LeafTable {
  /// The high half of a cell is the hash, and the low half is the leaf ID; an empty cell is 0.
  private var cells: ContiguousArray<UInt64>
  private var mask: Int
  private(set) var count = 0

  init(minimumCapacity: Int) {
    var size = 16
    while size * 5 < minimumCapacity * 8 { size *= 2 }
    cells = ContiguousArray(repeating: 0, count: size)
    mask = size - 1
  }

  /// Returns the ID of the leaf that holds `object`; nil if the table does not contain the object.
  ///
  /// `holds` returns whether the leaf with a given ID holds `object`; it is called only if the hash matches.
  func leaf(of object: Unmanaged<AnyObject>, holds: (UInt32) -> Bool) -> UInt32? {
    let hash = Self.hash(object)
    var index = Int(hash) & mask
    while cells[index] != 0 {
      let leaf = UInt32(truncatingIfNeeded: cells[index])
      if UInt32(cells[index] >> 32) == hash, holds(leaf) { return leaf }
      index = (index + 1) & mask
    }
    return nil
  }

  mutating func insert(_ object: Unmanaged<AnyObject>, leaf: UInt32) {
    if (count + 1) * 4 > cells.count * 3 { grow() }
    count += 1
    put(UInt64(Self.hash(object)) << 32 | UInt64(leaf))
  }

  /// Removes the entry that maps `object` to `leaf`; stops the program if there is no such entry.
  mutating func remove(_ object: Unmanaged<AnyObject>, leaf: UInt32) {
    let hash = Self.hash(object)
    let cell = UInt64(hash) << 32 | UInt64(leaf)
    var hole = Int(hash) & mask
    while cells[hole] != cell {
      precondition(
        cells[hole] != 0,
        "internal error: the table of a results list has no entry for an object of the list"
      )
      hole = (hole + 1) & mask
    }
    count -= 1
    // Later cells of the run move into the hole, because a search stops at the first empty cell.
    var index = (hole + 1) & mask
    while cells[index] != 0 {
      let home = Int(cells[index] >> 32) & mask
      if (index - home) & mask >= (index - hole) & mask {
        cells[hole] = cells[index]
        hole = index
      }
      index = (index + 1) & mask
    }
    cells[hole] = 0
  }

  private mutating func put(_ cell: UInt64) {
    var index = Int(cell >> 32) & mask
    while cells[index] != 0 { index = (index + 1) & mask }
    cells[index] = cell
  }

  private mutating func grow() {
    let old = cells
    cells = ContiguousArray(repeating: 0, count: old.count * 2)
    mask = cells.count - 1
    for cell in old where cell != 0 { put(cell) }
  }

  private static func hash(_ object: Unmanaged<AnyObject>) -> UInt32 {
    let bits = UInt64(UInt(bitPattern: object.toOpaque())) >> 4
    return UInt32((bits &* 0x9E37_79B9_7F4A_7C15) >> 32)
  }
}
