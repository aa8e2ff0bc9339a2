// SPDX-License-Identifier: Apache-2.0

/// A hash table that maps identities to unretained objects, with open addressing and 16 bytes per cell; at
/// most 80 % of the cells are in use.
///
/// A table of more than 4,096 cells shrinks when fewer than one cell in 32 is in use, because `forEach`
/// visits every cell.
///
/// An identity is the raw value of an `ObjectKey` in which the root entity replaces the entity. An object is
/// stored as its address.
struct IdentityTable: ~Copyable {
  private struct Cell {
    var identity: UInt64
    /// The object's address; 0 marks an empty cell.
    var object: UInt
  }
  private var cells: UnsafeMutablePointer<Cell>
  private var mask: Int
  private(set) var count = 0
  /// A table with at most this number of cells does not shrink.
  private static let smallSize = 4_096

  init() {
    mask = 15
    cells = .allocate(capacity: 16)
    cells.initialize(repeating: Cell(identity: 0, object: 0), count: 16)
  }

  deinit { cells.deallocate() }

  /// Returns the first cell to probe for an identity.
  ///
  /// Identities that differ only in their last two bits have adjacent first cells. These groups of four are
  /// scattered, so that runs of full cells stay short and removals stay cheap.
  private func firstCell(_ identity: UInt64) -> Int {
    let line = ((identity >> 2) &* 0x9E37_79B9_7F4A_7C15) >> 24
    return Int(truncatingIfNeeded: line << 2 | identity & 3) & mask
  }

  /// Returns the address of the object with an identity; 0 if the table does not contain the identity.
  func find(_ identity: UInt64) -> UInt {
    var index = firstCell(identity)
    while cells[index].object != 0 {
      if cells[index].identity == identity { return cells[index].object }
      index = (index + 1) & mask
    }
    return 0
  }

  /// Sets the object of an identity; returns true if the identity had no object before.
  @discardableResult
  mutating func put(_ identity: UInt64, _ object: UInt) -> Bool {
    if (count + 1) * 5 > (mask + 1) * 4 { resize(to: (mask + 1) * 2) }
    var index = firstCell(identity)
    while cells[index].object != 0 {
      if cells[index].identity == identity {
        cells[index].object = object
        return false
      }
      index = (index + 1) & mask
    }
    cells[index] = Cell(identity: identity, object: object)
    count += 1
    return true
  }

  mutating func reserve(_ additional: Int) {
    var size = mask + 1
    while (count + additional) * 5 > size * 4 { size *= 2 }
    if size > mask + 1 { resize(to: size) }
  }

  /// Removes the entry of an identity if the entry is for `object`, and returns true; otherwise returns false.
  @discardableResult
  mutating func remove(_ identity: UInt64, _ object: UInt) -> Bool {
    var index = firstCell(identity)
    while cells[index].object != 0 {
      if cells[index].identity == identity {
        guard cells[index].object == object else { return false }
        close(index)
        let size = mask + 1
        if size > Self.smallSize, count * 32 < size { resize(to: size / 8) }
        return true
      }
      index = (index + 1) & mask
    }
    return false
  }

  func forEach(_ body: (UInt) -> Void) {
    for index in 0...mask {
      if cells[index].object != 0 { body(cells[index].object) }
    }
  }

  /// Closes the gap left by a removed cell by shifting later cells back, so that the table needs no
  /// tombstones and look-ups stay short.
  private mutating func close(_ removed: Int) {
    count -= 1
    var hole = removed
    cells[hole].object = 0
    var index = (hole + 1) & mask
    while cells[index].object != 0 {
      let wanted = firstCell(cells[index].identity)
      if (index &- wanted) & mask >= (index &- hole) & mask {
        cells[hole] = cells[index]
        cells[index].object = 0
        hole = index
      }
      index = (index + 1) & mask
    }
  }

  private mutating func resize(to size: Int) {
    let old = cells
    let oldSize = mask + 1
    mask = size - 1
    cells = .allocate(capacity: size)
    cells.initialize(repeating: Cell(identity: 0, object: 0), count: size)
    for position in 0..<oldSize {
      guard old[position].object != 0 else { continue }
      var index = firstCell(old[position].identity)
      while cells[index].object != 0 { index = (index + 1) & mask }
      cells[index] = old[position]
    }
    old.deallocate()
  }
}
