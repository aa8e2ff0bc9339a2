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
  private var indexes: [PropertyListNode: Int] = [:]

  /// Returns a binary property list whose root is `root`.
  package static func data(_ root: PropertyListNode) -> Data {
    var writer = PropertyListWriter()
    let top = writer.add(root)
    return writer.rendered(top: top)
  }

  private mutating func add(_ node: PropertyListNode) -> Int {
    let place = entries.count
    switch node {
    case .array(let members):
      entries.append(.array([]))
      entries[place] = .array(members.map { add($0) })
    case .dictionary(let members):
      let sorted = members.sorted { utf8Less($0.key, $1.key) }
      entries.append(.array([]))
      let keys = sorted.map { add(.text($0.key)) }
      entries[place] = .dictionary(keys: keys, values: sorted.map { add($0.value) })
    default:
      if let known = indexes[node] { return known }
      indexes[node] = place
      entries.append(.scalar(node))
    }
    return place
  }

  private func rendered(top: Int) -> Data {
    let referenceSize = Self.byteCount(UInt64(entries.count))
    var output = Data("bplist00".utf8)
    var offsets: [Int] = []
    for entry in entries {
      offsets.append(output.count)
      Self.append(entry, to: &output, referenceSize: referenceSize)
    }
    let table = output.count
    let offsetSize = Self.byteCount(UInt64(table))
    for offset in offsets { output.appendBigEndian(UInt64(offset), bytes: offsetSize) }
    output.append(contentsOf: [0, 0, 0, 0, 0, 0, UInt8(offsetSize), UInt8(referenceSize)])
    output.appendBigEndian(UInt64(entries.count), bytes: 8)
    output.appendBigEndian(UInt64(top), bytes: 8)
    output.appendBigEndian(UInt64(table), bytes: 8)
    return output
  }

  private static func append(_ entry: Entry, to output: inout Data, referenceSize: Int) {
    switch entry {
    case .scalar(let node): append(node, to: &output)
    case .array(let members):
      appendMarker(0xA0, count: members.count, to: &output)
      for member in members { output.appendBigEndian(UInt64(member), bytes: referenceSize) }
    case .dictionary(let keys, let values):
      appendMarker(0xD0, count: keys.count, to: &output)
      for member in keys + values { output.appendBigEndian(UInt64(member), bytes: referenceSize) }
    }
  }

  private static func append(_ scalar: PropertyListNode, to output: inout Data) {
    switch scalar {
    case .bool(let flag): output.append(flag ? 0x09 : 0x08)
    case .integer(let number): append(number, to: &output)
    case .real(let number):
      output.append(0x23)
      output.appendBigEndian(number.bitPattern, bytes: 8)
    case .date(let seconds):
      output.append(0x33)
      output.appendBigEndian(seconds.bitPattern, bytes: 8)
    case .data(let data):
      appendMarker(0x40, count: data.count, to: &output)
      output.append(data)
    case .text(let text): append(text, to: &output)
    case .reference(let index):
      let bytes = byteCount(UInt64(index))
      output.append(0x80 | UInt8(bytes - 1))
      output.appendBigEndian(UInt64(index), bytes: bytes)
    case .array, .dictionary: break
    }
  }

  private static func append(_ text: String, to output: inout Data) {
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      appendMarker(0x50, count: text.utf8.count, to: &output)
      output.append(contentsOf: text.utf8)
    } else {
      appendMarker(0x60, count: text.utf16.count, to: &output)
      for unit in text.utf16 { output.appendBigEndian(UInt64(unit), bytes: 2) }
    }
  }

  /// A negative integer has eight bytes, because shorter integers are unsigned.
  private static func append(_ number: Int64, to output: inout Data) {
    let bytes = number < 0 ? 8 : byteCount(UInt64(number))
    output.append(0x10 | UInt8(bytes.trailingZeroBitCount))
    output.appendBigEndian(UInt64(bitPattern: number), bytes: bytes)
  }

  private static func appendMarker(_ marker: UInt8, count: Int, to output: inout Data) {
    if count < 15 {
      output.append(marker | UInt8(count))
    } else {
      output.append(marker | 0x0F)
      append(Int64(count), to: &output)
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
  fileprivate mutating func appendBigEndian(_ number: UInt64, bytes: Int) {
    for byte in 1...bytes {
      append(UInt8(truncatingIfNeeded: number >> UInt64(8 * (bytes - byte))))
    }
  }
}
