// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The members on the right side of `IN`, in hash tables.
struct MemberSet: Sendable {
  private var values: Set<Constant> = []
  private let texts: TextSet
  private var hasNull = false

  /// Creates a set of the members; nil if a member, such as a collection, cannot be looked up by hash.
  init?(_ members: [Value]) {
    var texts: [String] = []
    for member in members {
      switch member {
      case .null: hasNull = true
      case .text(let text): texts.append(text)
      case .collection, .dictionary, .opaque: return nil
      case .object(let object): values.insert(Self.constant(object))
      default: values.insert(Constant(member))
      }
    }
    self.texts = TextSet(texts)
  }

  private static func constant(_ object: any KeyedObject) -> Constant {
    Value.object(object).identity
  }

  func contains(_ value: Value) -> Bool {
    switch value {
    case .null: return hasNull
    case .text(var text): return text.withUTF8 { texts.contains($0) }
    case .object(let object): return values.contains(Self.constant(object))
    case .collection, .dictionary, .opaque: return false
    default: return values.contains(Constant(value))
    }
  }

  /// Whether the set contains the string that consists of these UTF-8 bytes.
  ///
  /// - Complexity: O(bytes), without an allocation.
  func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool { texts.contains(text) }
}

/// A hash table of UTF-8 strings, with open addressing; one array contains the bytes of all strings.
private struct TextSet: Sendable {
  private var bytes: [UInt8] = []
  /// For each cell, the range of its string in `bytes`; in an empty cell, both bounds are -1.
  private var cells: [(start: Int, end: Int)]
  private let mask: Int

  init(_ texts: [String]) {
    var size = 8
    while size < texts.count * 2 { size *= 2 }
    mask = size - 1
    cells = Array(repeating: (-1, -1), count: texts.isEmpty ? 0 : size)
    for var text in texts { text.withUTF8 { insert($0) } }
  }

  private mutating func insert(_ text: UnsafeBufferPointer<UInt8>) {
    var cell = Self.hash(text) & mask
    while cells[cell].start >= 0 {
      if holds(cell, text) { return }
      cell = (cell + 1) & mask
    }
    cells[cell] = (bytes.count, bytes.count + text.count)
    bytes.append(contentsOf: text)
  }

  func contains(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    if cells.isEmpty { return false }
    var cell = Self.hash(text) & mask
    while cells[cell].start >= 0 {
      if holds(cell, text) { return true }
      cell = (cell + 1) & mask
    }
    return false
  }

  private func holds(_ cell: Int, _ text: UnsafeBufferPointer<UInt8>) -> Bool {
    let (start, end) = cells[cell]
    guard end - start == text.count else { return false }
    return bytes.withUnsafeBufferPointer {
      TextSearch.equal(UnsafeBufferPointer(rebasing: $0[start..<end]), text)
    }
  }

  private static func hash(_ text: UnsafeBufferPointer<UInt8>) -> Int {
    var hash: UInt64 = 0xCBF2_9CE4_8422_2325
    for byte in text { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
    return Int(truncatingIfNeeded: hash ^ hash >> 29) & Int.max
  }
}
