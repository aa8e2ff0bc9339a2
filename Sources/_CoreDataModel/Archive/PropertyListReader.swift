// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads binary (`bplist00`) and XML property lists, including the references of keyed archives.
///
/// The bytes may be untrusted, so the reader limits the nesting depth. In a binary property list, where
/// values can be shared, it also limits the number of values.
package struct PropertyListReader {
  private let bytes: [UInt8]
  private let offsetSize: Int
  private let referenceSize: Int
  private let count: Int
  private let table: Int
  /// The indexes of the values being read, outermost first; used to detect a container that contains itself.
  private var path: [Int] = []
  private var cached: [Int: PropertyListNode] = [:]

  /// Returns the root of a property list.
  ///
  /// - Throws: `ModelError` if the bytes cannot be read as a property list, or if the list has too many
  ///   values or levels.
  package static func root(of data: Data) throws -> PropertyListNode {
    if data.first == UInt8(ascii: "<") { return try PropertyListMarkup.root(of: data) }
    let bytes = [UInt8](data)
    guard bytes.starts(with: Array("bplist0".utf8)) else {
      throw ModelError(reason: "the data is not a property list")
    }
    let trailer = bytes.count - 32
    guard trailer >= 8 else {
      throw ModelError(
        reason: "the property list is incomplete: it has only \(CellText.bytes(bytes.count))"
      )
    }
    var reader = PropertyListReader(bytes: bytes, trailer: trailer)
    guard (1...8).contains(reader.offsetSize), (1...8).contains(reader.referenceSize),
      reader.count > 0, reader.count <= bytes.count, reader.table >= 8,
      reader.table <= trailer - reader.count * reader.offsetSize
    else {
      throw ModelError(
        reason: "the property list is damaged or incomplete: its last 32 bytes are not valid"
      )
    }
    let top = Int(clamping: try reader.number(at: trailer + 16, bytes: 8))
    let root = try reader.node(top, from: trailer + 16)
    guard root.holds(atMost: valueLimit) else {
      throw ModelError(
        reason: "the property list has more than \(CellText.count(valueLimit)) values"
      )
    }
    return root
  }

  /// The maximum number of values in a binary property list.
  ///
  /// A shared value counts once for each reference to it, so that a small file cannot expand without limit.
  private static let valueLimit = 4_000_000
  /// The maximum nesting depth of a binary property list; limited because the reader recurses.
  private static let depth = 512

  private static func damaged(at offset: Int) -> ModelError {
    ModelError(reason: "the property list is damaged at byte \(offset)")
  }

  private init(bytes: [UInt8], trailer: Int) {
    self.bytes = bytes
    offsetSize = Int(bytes[trailer + 6])
    referenceSize = Int(bytes[trailer + 7])
    func word(_ offset: Int) -> Int {
      Int(clamping: bytes[offset..<offset + 8].reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    count = word(trailer + 8)
    table = word(trailer + 24)
  }

  private func number(at offset: Int, bytes size: Int) throws -> UInt64 {
    guard offset >= 0, size >= 0, offset <= bytes.count - size else {
      throw Self.damaged(at: offset)
    }
    return bytes[offset..<offset + size].reduce(0) { $0 << 8 | UInt64($1) }
  }

  /// `reference` is the offset of the bytes that refer to the value; errors report this offset.
  private mutating func node(_ index: Int, from reference: Int) throws -> PropertyListNode {
    if let node = cached[index] { return node }
    guard index >= 0, index < count, !path.contains(index) else {
      throw Self.damaged(at: reference)
    }
    guard path.count < Self.depth else {
      throw ModelError(
        reason: "the property list is nested more than \(Self.depth) levels deep"
      )
    }
    path.append(index)
    defer { path.removeLast() }
    let offset = Int(clamping: try number(at: table + index * offsetSize, bytes: offsetSize))
    let node = try read(at: offset)
    cached[index] = node
    return node
  }

  private mutating func read(at offset: Int) throws -> PropertyListNode {
    let marker = try number(at: offset, bytes: 1)
    let low = Int(marker & 0x0F)
    switch marker >> 4 {
    case 0x0 where low == 8 || low == 9: return .bool(low == 9)
    case 0x1: return .integer(try integer(at: offset + 1, power: low))
    case 0x2: return .real(try real(at: offset + 1, power: low))
    case 0x3:
      return .date(Double(bitPattern: try number(at: offset + 1, bytes: 8)))
    case 0x8:
      return .reference(Int(clamping: try number(at: offset + 1, bytes: low + 1)))
    default: return try readCounted(at: offset, marker: marker >> 4, low: low)
    }
  }

  private mutating func readCounted(
    at offset: Int,
    marker: UInt64,
    low: Int
  ) throws -> PropertyListNode {
    let (start, count) = try extent(at: offset + 1, low: low)
    switch marker {
    case 0x4: return .data(Data(try slice(start, count)))
    case 0x5: return .text(String(decoding: try slice(start, count), as: UTF8.self))
    case 0x6:
      let units = try slice(start, count * 2)
      let text = stride(from: units.startIndex, to: units.endIndex, by: 2).map { place -> UInt16 in
        let high = UInt16(units[place])
        return high << 8 | UInt16(units[place + 1])
      }
      return .text(String(decoding: text, as: UTF16.self))
    case 0xA, 0xC: return .array(try members(start, count))
    case 0xD:
      let keys = try members(start, count)
      let values = try members(start + count * referenceSize, count)
      var dictionary: [String: PropertyListNode] = [:]
      for (key, value) in zip(keys, values) {
        guard let key = key.text else { throw Self.damaged(at: offset) }
        dictionary[key] = value
      }
      return .dictionary(dictionary)
    default: throw Self.damaged(at: offset)
    }
  }

  private mutating func members(_ start: Int, _ count: Int) throws -> [PropertyListNode] {
    _ = try slice(start, count * referenceSize)
    return try (0..<count).map { index in
      let offset = start + index * referenceSize
      let place = try number(at: offset, bytes: referenceSize)
      return try node(Int(clamping: place), from: offset)
    }
  }

  private func slice(_ start: Int, _ count: Int) throws -> ArraySlice<UInt8> {
    guard start >= 0, count >= 0, start <= bytes.count - count else {
      throw Self.damaged(at: start)
    }
    return bytes[start..<start + count]
  }

  /// Returns the offset of a value's content and the number of items in the content.
  ///
  /// `low` is the number of items if it is below 15. Otherwise the number of items is an integer at `offset`,
  /// and the content follows that integer.
  private func extent(at offset: Int, low: Int) throws -> (Int, Int) {
    if low < 15 { return (offset, low) }
    let marker = try number(at: offset, bytes: 1)
    guard marker >> 4 == 1, marker & 0x0F <= 3 else { throw Self.damaged(at: offset) }
    let size = 1 << Int(marker & 0x0F)
    let count = Int(clamping: try number(at: offset + 1, bytes: size))
    guard count <= bytes.count else { throw Self.damaged(at: offset) }
    return (offset + 1 + size, count)
  }

  /// A 16-byte integer holds an unsigned 64-bit number, so only its low 8 bytes are read; a number above
  /// `Int64.max` wraps to a negative number.
  private func integer(at offset: Int, power: Int) throws -> Int64 {
    guard power <= 4 else { throw Self.damaged(at: offset) }
    let size = 1 << power
    let start = size == 16 ? offset + 8 : offset
    return Int64(bitPattern: try number(at: start, bytes: min(size, 8)))
  }

  private func real(at offset: Int, power: Int) throws -> Double {
    switch power {
    case 2: Double(Float(bitPattern: UInt32(try number(at: offset, bytes: 4))))
    case 3: Double(bitPattern: try number(at: offset, bytes: 8))
    default: throw Self.damaged(at: offset)
    }
  }
}
