// SPDX-License-Identifier: Apache-2.0

#if PostgreSQL
import Foundation

/// The binary form of `numeric`: the number of digits to the base 10,000, the weight of the first digit, the
/// sign, the number of decimal places, and the digits, as 16-bit integers.
///
/// Source: observed, with numbers that the server of PostgreSQL 15 sends.
enum PostgresNumeric {
  private static let negative: UInt16 = 0x4000
  private static let notANumber: UInt16 = 0xC000
  private static let positiveInfinity: UInt16 = 0xD000
  private static let negativeInfinity: UInt16 = 0xF000

  static func bytes(_ number: Decimal) -> [UInt8] {
    if number.isNaN { return encoded(digits: [], weight: 0, sign: notANumber, scale: 0) }
    let text = number.description
    let isNegative = text.hasPrefix("-")
    let parts = text.drop { $0 == "-" }.split(separator: ".", omittingEmptySubsequences: false)
    let whole = Array(parts[0].utf8)
    let fraction = parts.count > 1 ? Array(parts[1].utf8) : []
    let lead = [UInt8](repeating: 48, count: (4 - whole.count % 4) % 4)
    let tail = [UInt8](repeating: 48, count: (4 - fraction.count % 4) % 4)
    let all = lead + whole + fraction + tail
    var digits = stride(from: 0, to: all.count, by: 4).map { start in
      all[start..<start + 4].reduce(UInt16(0)) { $0 * 10 + UInt16($1 - 48) }
    }
    var weight = (lead.count + whole.count) / 4 - 1
    while digits.first == 0 {
      digits.removeFirst()
      weight -= 1
    }
    while digits.last == 0 { digits.removeLast() }
    if digits.isEmpty { weight = 0 }
    return encoded(
      digits: digits,
      weight: weight,
      sign: isNegative ? negative : 0,
      scale: fraction.count
    )
  }

  private static func encoded(digits: [UInt16], weight: Int, sign: UInt16, scale: Int) -> [UInt8] {
    let words =
      [UInt16(digits.count), UInt16(bitPattern: Int16(weight)), sign, UInt16(scale)] + digits
    return words.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xFF)] }
  }

  /// Returns the text of a number; `NaN` for a number that is not finite.
  ///
  /// The result is nil if the bytes do not have the form of a number.
  static func text(_ bytes: UnsafeRawBufferPointer) -> String? {
    guard bytes.count >= 8, bytes.count.isMultiple(of: 2) else { return nil }
    func word(_ index: Int) -> UInt16 {
      UInt16(bigEndian: bytes.loadUnaligned(fromByteOffset: index * 2, as: UInt16.self))
    }
    let count = Int(word(0))
    let weight = Int(Int16(bitPattern: word(1)))
    let sign = word(2)
    guard bytes.count == 8 + count * 2 else { return nil }
    if sign == notANumber || sign == positiveInfinity || sign == negativeInfinity { return "NaN" }
    func group(_ place: Int) -> UInt16 {
      let index = weight - place
      return index >= 0 && index < count ? word(4 + index) : 0
    }
    var text = ""
    for place in stride(from: max(weight, 0), through: 0, by: -1) {
      text += padded(group(place))
    }
    text = String(text.drop { $0 == "0" })
    if text.isEmpty { text = "0" }
    let last = weight - count + 1
    if last < 0 {
      var fraction = ""
      for place in stride(from: -1, through: last, by: -1) { fraction += padded(group(place)) }
      while fraction.last == "0" { fraction.removeLast() }
      if !fraction.isEmpty { text += "." + fraction }
    }
    return sign == negative ? "-" + text : text
  }

  private static func padded(_ group: UInt16) -> String {
    let digits = String(group)
    return String(repeating: "0", count: 4 - digits.count) + digits
  }

  /// Returns the number; nil if the bytes do not have the form of a number, or the number is out of the range
  /// of a `Decimal`.
  ///
  /// A number that is not finite is read as NaN, and digits after the 38th are lost.
  static func decimal(_ bytes: UnsafeRawBufferPointer) -> Decimal? {
    guard let text = text(bytes) else { return nil }
    return text == "NaN" ? .nan : Decimal(string: text, locale: nil)
  }
}
#endif
