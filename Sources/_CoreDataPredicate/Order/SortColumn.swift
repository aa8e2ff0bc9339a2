// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The values of one sort key for all elements, encoded for fast comparison.
///
/// The encoded values are in buffers instead of arrays, so that a comparison does not retain or release
/// anything.
final class SortColumn {
  private enum Content {
    /// One code per value, in the order of the values; 0 for null.
    case codes(UnsafeMutableBufferPointer<UInt64>)
    /// The concatenated sort keys of the texts, and the index at which each key ends; the key of null is
    /// empty.
    case bytes(UnsafeMutableBufferPointer<UInt8>, ends: UnsafeMutableBufferPointer<Int>)
    case values([Value])
  }
  private let content: Content
  private let key: SortKey
  /// Whether values are equal if their leading codes are equal.
  let isExact: Bool

  init(_ values: [Value], _ key: SortKey) {
    self.key = key
    if case .opaque = key.comparison {
      content = .values(values)
    } else if let codes = Self.codes(values) {
      content = .codes(Self.kept(codes))
    } else {
      content = Self.bytes(values, key.comparison) ?? .values(values)
    }
    if case .codes = content { isExact = true } else { isExact = false }
  }

  deinit {
    switch content {
    case .codes(let codes): codes.deallocate()
    case .bytes(let bytes, let ends):
      bytes.deallocate()
      ends.deallocate()
    case .values: break
    }
  }

  private static func kept<Element: BitwiseCopyable>(
    _ elements: [Element]
  ) -> UnsafeMutableBufferPointer<Element> {
    let room = UnsafeMutableBufferPointer<Element>.allocate(capacity: elements.count)
    _ = room.initialize(from: elements)
    return room
  }

  /// Returns one number for each value; comparing these numbers decides most comparisons of the values.
  ///
  /// The number is the code of the value, or the first eight bytes of its sort key. In descending order all
  /// bits are inverted, so that an element with a smaller number always comes first. All numbers are zero if
  /// the values have neither codes nor sort keys.
  func leadingCodes(_ count: Int) -> [UInt64] {
    let flip: UInt64 = key.ascending ? 0 : .max
    switch content {
    case .codes(let codes): return codes.map { $0 ^ flip }
    case .values: return [UInt64](repeating: 0, count: count)
    case .bytes(let bytes, let ends):
      var start = 0
      return ends.map { end in
        var code: UInt64 = 0
        var shift: UInt64 = 56
        for index in start..<min(end, start + 8) {
          code |= UInt64(bytes[index]) << shift
          shift &-= 8
        }
        start = end
        return code ^ flip
      }
    }
  }

  /// Compares the values at two indices in the direction of the sort key; returns a negative number, zero or
  /// a positive number.
  func compare(_ left: Int, _ right: Int) -> Int {
    let order: Int
    switch content {
    case .codes(let codes):
      order = codes[left] < codes[right] ? -1 : codes[left] > codes[right] ? 1 : 0
    case .values(let values): return key.compare(values[left], values[right])
    case .bytes(let bytes, let ends):
      let (start, otherStart) = (left == 0 ? 0 : ends[left - 1], right == 0 ? 0 : ends[right - 1])
      order = TextSearch.compare(
        UnsafeBufferPointer(rebasing: bytes[start..<ends[left]]),
        UnsafeBufferPointer(rebasing: bytes[otherStart..<ends[right]])
      )
    }
    return key.ascending ? order : -order.signum()
  }

  // MARK: Encoding

  /// Returns the codes of the values; nil unless all values that are not null are of one kind: integers other
  /// than `Int64.min`, floating-point numbers, dates or Booleans.
  private static func codes(_ values: [Value]) -> [UInt64]? {
    var codes: [UInt64] = []
    codes.reserveCapacity(values.count)
    var kind = 0
    for value in values {
      switch value {
      case .null: codes.append(0)
      case .int(let number) where kind <= 1 && number != .min:
        kind = 1
        codes.append(UInt64(bitPattern: number) ^ 1 << 63)
      case .double(let number) where kind == 0 || kind == 2:
        kind = 2
        codes.append(code(number))
      case .date(let number) where kind == 0 || kind == 3:
        kind = 3
        codes.append(code(number))
      case .bool(let flag) where kind == 0 || kind == 4:
        kind = 4
        codes.append(flag ? 2 : 1)
      default: return nil
      }
    }
    return codes
  }

  /// Returns a code whose order is the order of the numbers.
  ///
  /// NaN has the lowest code, and both zeros have the same code.
  private static func code(_ number: Double) -> UInt64 {
    if number.isNaN { return 1 }
    let pattern = (number + 0).bitPattern
    return pattern >> 63 == 0 ? pattern | 1 << 63 : ~pattern
  }

  /// Returns the sort keys of the values; nil unless each value is null or a text that has a sort key.
  private static func bytes(_ values: [Value], _ comparison: SortKey.Comparison) -> Content? {
    var bytes: [UInt8] = []
    var ends: [Int] = []
    ends.reserveCapacity(values.count)
    bytes.reserveCapacity(values.count * 16)
    let folding = TextFolding(.caseInsensitive)
    for value in values {
      switch value {
      case .null: break
      case .text(var text):
        // Null has an empty key and comes first, so the key of an empty text must not be empty.
        bytes.append(1)
        let isWritten = text.withUTF8 { text in
          switch comparison {
          case .caseInsensitive: folding.withFolded(text) { bytes.append(contentsOf: $0) }
          case .standard, .opaque: bytes.append(contentsOf: text)
          default:
            guard let rule = comparison.rule, let order = LetterOrder.current else { return false }
            return order.appendKey(text, rule, to: &bytes)
          }
          return true
        }
        if !isWritten { return nil }
      default: return nil
      }
      ends.append(bytes.count)
    }
    return .bytes(kept(bytes), ends: kept(ends))
  }
}
