// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Writes binary property lists (`bplist00`).
///
/// Equal scalars are written once. Keys are sorted, so that the bytes are deterministic.
package struct PropertyListWriter {
  private enum Entry {
    case scalar(PropertyListNode)
    case array([Int])
    case dictionary(keys: [Int], values: [Int])
  }

  private var entries: [Entry] = []
  /// The hash of a scalar → the index of the last entry with this hash.
  ///
  /// The keys are hashes, because the first dictionary in a process with nodes as keys costs as much time as
  /// hundreds of entries.
  private var indexes: [Int64: Int] = [:]
  /// The index of an entry → the index of the previous scalar with the same hash, or -1.
  private var former: [Int] = []
  private var output: [UInt8] = []

  /// Returns a binary property list whose root is `root`.
  package static func data(_ root: PropertyListNode) -> Data {
    var writer = PropertyListWriter()
    let top = writer.add(root)
    writer.render(top: top)
    return Data(copying: writer.output)
  }

  private mutating func add(_ node: PropertyListNode) -> Int {
    switch node {
    case .array(let members):
      let place = addEntry(.array([]))
      entries[place] = .array(members.map { add($0) })
      return place
    case .dictionary(let members):
      let sorted = members.sorted { utf8Less($0.key, $1.key) }
      let place = addEntry(.array([]))
      let keys = sorted.map { addScalar(.text($0.key)) }
      entries[place] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
      return place
    default: return addScalar(node)
    }
  }

  private mutating func addEntry(_ entry: Entry) -> Int {
    entries.append(entry)
    former.append(-1)
    return entries.count - 1
  }

  private mutating func addScalar(_ node: PropertyListNode) -> Int {
    let hash = Int64(node.hashValue)
    let last = indexes[hash] ?? -1
    var place = last
    while place >= 0 {
      if case .scalar(node) = entries[place] { return place }
      place = former[place]
    }
    place = addEntry(.scalar(node))
    former[place] = last
    indexes[hash] = place
    return place
  }

  private mutating func render(top: Int) {
    let referenceSize = Self.byteCount(UInt64(entries.count))
    output.reserveCapacity(32 * entries.count + 64)
    output += "bplist00".utf8
    var offsets: [Int] = []
    offsets.reserveCapacity(entries.count)
    for entry in entries {
      offsets.append(output.count)
      append(entry, referenceSize: referenceSize)
    }
    let table = output.count
    let offsetSize = Self.byteCount(UInt64(table))
    for offset in offsets { append(UInt64(offset), bytes: offsetSize) }
    append(0, bytes: 6)
    append(UInt64(offsetSize), bytes: 1)
    append(UInt64(referenceSize), bytes: 1)
    append(UInt64(entries.count), bytes: 8)
    append(UInt64(top), bytes: 8)
    append(UInt64(table), bytes: 8)
  }

  private mutating func append(_ entry: Entry, referenceSize: Int) {
    switch entry {
    case .scalar(let node): append(node)
    case .array(let members):
      appendMarker(0xA0, count: members.count)
      for member in members { append(UInt64(member), bytes: referenceSize) }
    case .dictionary(let keys, let values):
      appendMarker(0xD0, count: keys.count)
      for member in keys { append(UInt64(member), bytes: referenceSize) }
      for member in values { append(UInt64(member), bytes: referenceSize) }
    }
  }

  private mutating func append(_ scalar: PropertyListNode) {
    switch scalar {
    case .bool(let flag): output.append(flag ? 0x09 : 0x08)
    case .integer(let number): append(number)
    case .real(let number):
      output.append(0x23)
      append(number.bitPattern, bytes: 8)
    case .date(let seconds):
      output.append(0x33)
      append(seconds.bitPattern, bytes: 8)
    case .data(let data):
      appendMarker(0x40, count: data.count)
      data.withUnsafeBytes { output.append(contentsOf: $0) }
    case .text(let text): append(text)
    case .reference(let index):
      let bytes = Self.byteCount(UInt64(index))
      output.append(0x80 | UInt8(bytes - 1))
      append(UInt64(index), bytes: bytes)
    case .array, .dictionary: break
    }
  }

  private mutating func append(_ text: String) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      appendMarker(0x50, count: text.utf8.count)
      output.append(contentsOf: text.utf8)
    } else {
      appendMarker(0x60, count: text.utf16.count)
      for unit in text.utf16 { append(UInt64(unit), bytes: 2) }
    }
  }

  /// A negative integer has eight bytes, because shorter integers are unsigned.
  private mutating func append(_ number: Int64) {
    let bytes = number < 0 ? 8 : Self.byteCount(UInt64(number))
    output.append(0x10 | UInt8(bytes.trailingZeroBitCount))
    append(UInt64(bitPattern: number), bytes: bytes)
  }

  private mutating func appendMarker(_ marker: UInt8, count: Int) {
    if count < 15 {
      output.append(marker | UInt8(count))
    } else {
      output.append(marker | 0x0F)
      append(Int64(count))
    }
  }

  /// Appends the low `bytes` bytes of a number, the most significant first.
  private mutating func append(_ number: UInt64, bytes: Int) {
    for byte in 1...bytes {
      output.append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (bytes - byte))))
    }
  }

  private static func byteCount(_ number: UInt64) -> Int {
    switch number {
    case 0...0xFF: 1
    case 0...0xFFFF: 2
    case 0...0xFFFF_FFFF: 4
    default: 8
    }
  }
}

extension Data {
  /// Creates data with a copy of `bytes`.
  ///
  /// `Data(bytes)` looks up a conformance by name, which is expensive for the first call in a process.
  init(copying bytes: [UInt8]) {
    self = bytes.withUnsafeBytes { space in
      space.baseAddress.map { Data(bytes: $0, count: space.count) } ?? Data()
    }
  }
}
