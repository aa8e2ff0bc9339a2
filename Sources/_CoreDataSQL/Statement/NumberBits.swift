// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A condition that a primary key is one of a set of integers that are close together.
///
/// Consecutive integers become a range. Integers at equal distances become a range with a test of the
/// remainder, unless one of them is negative. Any other integers are bound as one value: the lowest integer,
/// then a bit for each integer from there on. Scanning the rows and testing a bit for each primary key takes
/// a tenth of the time of looking up the primary keys of a list.
///
/// A range is preferred, because a deletion whose condition calls a function keeps the original content of
/// every page until the deletion ends.
package enum NumberBits {
  /// The name of the SQL function that tests whether a primary key is in the set; it returns 1 or 0.
  ///
  /// The arguments are the bound value and the primary key.
  package static let function = "CDHasNumber"
  /// The greatest ratio of the span of the primary keys to their count; above this ratio, looking up the
  /// primary keys is cheaper.
  private static let widest: Int64 = 8
  private static let head = 8

  /// Returns the condition that the primary key `key` is one of `numbers`; nil if `numbers` is empty or its
  /// members are too far apart.
  static func condition(_ key: SQL, _ numbers: [Int64]) -> SQL? {
    guard let first = numbers.min(), let last = numbers.max() else { return nil }
    let (span, isHuge) = last.subtractingReportingOverflow(first)
    if isHuge || span / widest >= Int64(numbers.count) { return nil }
    var bytes = [UInt8](repeating: 0, count: head + Int(span / 8) + 1)
    var count: Int64 = 0
    var step: Int64 = 0
    for number in numbers {
      let place = number - first
      let bit: UInt8 = 1 << UInt8(place % 8)
      let byte = head + Int(place / 8)
      if bytes[byte] & bit != 0 { continue }
      bytes[byte] |= bit
      count += 1
      if step == 0 || place % step != 0 { step = commonDivisor(step, place) }
    }
    let range: SQL = "\(key) BETWEEN \(bind: .integer(first)) AND \(bind: .integer(last))"
    if step <= 1, count == span + 1 { return "(\(range))" }
    if step > 1, first >= 0, count == span / step + 1 {
      let rest = first % step
      return "(\(range) AND \(key) % \(bind: .integer(step)) = \(bind: .integer(rest)))"
    }
    for place in 0..<head { bytes[place] = UInt8(truncatingIfNeeded: first >> (8 * place)) }
    return "(\(range) AND \(function: function)(\(bind: .blob(Data(bytes))), \(key)))"
  }

  private static func commonDivisor(_ one: Int64, _ other: Int64) -> Int64 {
    var (one, other) = (one, other)
    while other != 0 { (one, other) = (other, one % other) }
    return one
  }

  /// Returns whether `number` is in the set that the bytes of a bound value represent.
  package static func contain(_ number: Int64, in bytes: UnsafeRawBufferPointer) -> Bool {
    guard bytes.count > head else { return false }
    let first = Int64(littleEndian: bytes.loadUnaligned(as: Int64.self))
    let (place, isFar) = number.subtractingReportingOverflow(first)
    guard !isFar, place >= 0, place / 8 < Int64(bytes.count - head) else { return false }
    return bytes[head + Int(place / 8)] & 1 << UInt8(place % 8) != 0
  }
}
