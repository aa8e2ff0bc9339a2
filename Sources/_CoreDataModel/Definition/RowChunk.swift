// SPDX-License-Identifier: Apache-2.0

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A chunk and the index of one of its rows.
package typealias ChunkRow = (chunk: RowChunk, row: Int)

/// A block of rows of one entity: eight-byte slots, and a byte arena for values that do not fit into a slot.
///
/// A managed object refers to one row of a chunk. A store fills a chunk and passes it to a context; from then
/// on only that context reads or changes it.
/// Memory: `stride` words per row and the bytes of the arena, all freed with the chunk.
@usableFromInline
// Unchecked: the store passes the chunk to one context, and after that only this context uses it.
package final class RowChunk: @unchecked Sendable {
  package let layout: RowLayout
  @usableFromInline package let headerWords: Int
  @usableFromInline package let stride: Int
  package let capacity: Int
  // Exempt from exclusivity checks at run time: the chunk is confined to one context, and only this class
  // writes the property.
  @exclusivity(unchecked) package private(set) var count = 0
  /// The words of the rows, one row after the other: `capacity * stride` words.
  @usableFromInline package let words: UnsafeMutablePointer<UInt64>
  @exclusivity(unchecked) @usableFromInline
  package private(set) var arena: UnsafeMutableRawPointer
  @exclusivity(unchecked) package private(set) var arenaUsed = 0
  @exclusivity(unchecked) private var arenaSize: Int
  /// An object that the chunk keeps alive, such as the prefetched objects of its rows.
  @exclusivity(unchecked) package var retainedChunks: AnyObject?

  /// A chunk counts as full when at least this many bytes of its arena are in use.
  package static let arenaLimit = 4 << 20

  /// Creates a chunk with a single row, whose values are null, and returns the row.
  package static func single(_ layout: RowLayout) -> ChunkRow {
    let chunk = RowChunk(layout: layout, capacity: 1)
    return (chunk, chunk.appendRow())
  }

  /// Creates a chunk without rows; the arena starts with at least `arenaCapacity` bytes and grows when full.
  package init(layout: RowLayout, capacity: Int, arenaCapacity: Int = 0) {
    self.layout = layout
    headerWords = layout.headerWords
    stride = layout.stride
    self.capacity = max(1, capacity)
    words = .allocate(capacity: self.capacity * stride)
    arenaSize = max(64, arenaCapacity)
    arena = malloc(arenaSize)
  }

  deinit {
    words.deallocate()
    free(arena)
  }

  package var isFull: Bool { count == capacity || arenaUsed >= Self.arenaLimit }

  /// The number of bytes that can be added to the arena without reallocating it.
  package var arenaRoom: Int { arenaSize - arenaUsed }

  /// Adds a row whose slots are all null and whose version is 0, and returns the index of the row.
  @usableFromInline package func appendRow() -> Int {
    precondition(count < capacity)
    let row = count
    count += 1
    let start = words + row * stride
    start[0] = 0xFFFF_FFFF_0000_0000
    for word in 1..<stride { start[word] = word < headerWords ? .max : 0 }
    return row
  }

  /// Appends a copy of a row of `source`, which has the same layout, and returns the index of the copy.
  package func appendCopy(of source: RowChunk, row: Int) -> Int {
    precondition(count < capacity && source.stride == stride)
    let copy = count
    count += 1
    let from = source.words + row * stride
    let to = words + copy * stride
    to.update(from: from, count: stride)
    for (slot, kind) in layout.kinds.enumerated()
    where kind.isInArena && !source.isNull(row, slot) {
      to[headerWords + slot] = store(source.bytes(row, slot))
    }
    return copy
  }

  // MARK: Reading

  /// Returns the row's optimistic-locking version (`Z_OPT`); 0 for a row that was never stored.
  @inlinable package func version(_ row: Int) -> Int64 {
    Int64(words[row * stride] & 0xFFFF_FFFF)
  }

  @inlinable @inline(__always) package func isNull(_ row: Int, _ slot: Int) -> Bool {
    slot < 32
      ? words[row * stride] >> UInt64(32 + slot) & 1 != 0
      : words[row * stride + 1 + (slot - 32) >> 6] >> UInt64((slot - 32) & 63) & 1 != 0
  }

  /// Returns the slot's word, which is undefined if the slot is null.
  @inlinable @inline(__always) package func word(_ row: Int, _ slot: Int) -> UInt64 {
    words[row * stride + headerWords + slot]
  }

  @inlinable @inline(__always) package func integer(_ row: Int, _ slot: Int) -> Int64 {
    Int64(bitPattern: word(row, slot))
  }

  @inlinable @inline(__always) package func double(_ row: Int, _ slot: Int) -> Double {
    Double(bitPattern: word(row, slot))
  }

  @inlinable @inline(__always) package func key(_ row: Int, _ slot: Int) -> ObjectKey {
    ObjectKey(raw: word(row, slot))
  }

  /// Returns the bytes of an arena slot, which are valid until the chunk is changed or freed.
  @inlinable @inline(__always) package func bytes(_ row: Int, _ slot: Int) -> UnsafeRawBufferPointer
  {
    let place = word(row, slot)
    return UnsafeRawBufferPointer(
      start: arena + Int(place >> 32),
      count: Int(place & 0xFFFF_FFFF)
    )
  }

  @inlinable package func text(_ row: Int, _ slot: Int) -> String {
    String(decoding: bytes(row, slot), as: UTF8.self)
  }

  // MARK: Writing

  package func setVersion(_ row: Int, _ version: Int64) {
    let word = words + row * stride
    word.pointee = word.pointee & ~0xFFFF_FFFF | UInt64(UInt32(truncatingIfNeeded: version))
  }

  package func setNull(_ row: Int, _ slot: Int) {
    if slot < 32 {
      words[row * stride] |= 1 << UInt64(32 + slot)
    } else {
      words[row * stride + 1 + (slot - 32) >> 6] |= 1 << UInt64((slot - 32) & 63)
    }
  }

  /// Writes the slot's word and clears its null bit.
  @inlinable @inline(__always) package func setWord(_ row: Int, _ slot: Int, _ word: UInt64) {
    if slot < 32 {
      words[row * stride] &= ~(1 << UInt64(32 + slot))
    } else {
      words[row * stride + 1 + (slot - 32) >> 6] &= ~(1 << UInt64((slot - 32) & 63))
    }
    words[row * stride + headerWords + slot] = word
  }

  @inlinable package func setInteger(_ row: Int, _ slot: Int, _ value: Int64) {
    setWord(row, slot, UInt64(bitPattern: value))
  }

  @inlinable package func setDouble(_ row: Int, _ slot: Int, _ value: Double) {
    setWord(row, slot, value.bitPattern)
  }

  @inlinable package func setKey(_ row: Int, _ slot: Int, _ key: ObjectKey) {
    setWord(row, slot, key.raw)
  }

  /// Writes an arena slot: in place if the slot has bytes and the new bytes are not longer, otherwise at the
  /// end of the arena.
  package func setBytes(_ row: Int, _ slot: Int, _ bytes: UnsafeRawBufferPointer) {
    if !isNull(row, slot) {
      let place = word(row, slot)
      let length = Int(place & 0xFFFF_FFFF)
      if bytes.count <= length {
        if let base = bytes.baseAddress, bytes.count > 0 {
          memmove(arena + Int(place >> 32), base, bytes.count)
        }
        setWord(row, slot, place & ~0xFFFF_FFFF | UInt64(bytes.count))
        return
      }
    }
    setWord(row, slot, store(bytes))
  }

  package func setText(_ row: Int, _ slot: Int, _ text: String) {
    var text = text
    text.withUTF8 { setBytes(row, slot, UnsafeRawBufferPointer($0)) }
  }

  /// Copies `bytes` into the arena and returns the slot word, with the offset in the high half and the length
  /// in the low half.
  package func store(_ bytes: UnsafeRawBufferPointer) -> UInt64 {
    let offset = arenaUsed
    var base = bytes.baseAddress
    if offset + bytes.count > arenaSize {
      // If a row of this chunk is being copied, `bytes` points into this arena. Growing the arena then moves
      // the bytes.
      let place = base.map { $0 - UnsafeRawPointer(arena) }
      growArena(offset + bytes.count)
      if let place, place >= 0, place < offset { base = UnsafeRawPointer(arena) + place }
    }
    if let base, bytes.count > 0 { memcpy(arena + offset, base, bytes.count) }
    arenaUsed += bytes.count
    return UInt64(offset) << 32 | UInt64(bytes.count)
  }

  private func growArena(_ needed: Int) {
    precondition(
      needed <= Int(UInt32.max),
      "a row chunk cannot hold more than 4 GiB of strings and data"
    )
    arenaSize = max(arenaSize + arenaSize / 4, needed)
    arena = realloc(arena, arenaSize)
  }
}
