// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Value {
  /// Writes the constant as format strings express it, or as a description if they cannot express it.
  func writeFormat(to text: inout String) {
    switch self {
    case .null: text += "nil"
    case .bool(let flag): text += flag ? "1" : "0"
    case .int(let number): text += String(number)
    case .double(let number): text += Self.digits(number)
    case .decimal(let number): text += Self.digits(number)
    case .text(let content): Self.writeQuoted(content, to: &text)
    case .date(let seconds): text += "CAST(\(Self.seconds(seconds)), \"NSDate\")"
    case .data(let data):
      text += "<" + data.map { String(UInt16($0) + 256, radix: 16).dropFirst() }.joined() + ">"
    case .uuid(let uuid): text += uuid.uuidString
    case .url(let url): text += url.absoluteString
    case .key(let key): text += key.description
    case .object(let object): text += object.objectKey?.description ?? String(describing: object)
    case .collection(let collection):
      text += "{"
      for (index, member) in collection.members.enumerated() {
        if index > 0 { text += ", " }
        member.writeFormat(to: &text)
      }
      text += "}"
    case .dictionary(let dictionary):
      text += "{"
      for key in dictionary.keys.sorted() {
        text += "\(key) = "
        dictionary[key]?.writeFormat(to: &text)
        text += "; "
      }
      text += "}"
    case .opaque(let object): text += String(describing: object)
    }
  }

  /// Returns the constant whose format is `CAST(self, type)`; nil if no constant has that format.
  func printedAsCast(_ type: String) -> Value? {
    switch (self, type) {
    case (_, "NSDate"): number.map { .date($0) }
    case (.text("inf"), "NSNumber"): .double(.infinity)
    case (.text("-inf"), "NSNumber"): .double(-.infinity)
    case (.text("nan"), "NSNumber"): .double(.nan)
    case (.text(let digits), "NSDecimalNumber"):
      Decimal(string: digits).flatMap { $0.description == digits ? .decimal($0) : nil }
    default: nil
    }
  }

  /// Returns the shortest digits that parse to the same number; for infinity and NaN, a cast of a string.
  ///
  /// An integral number whose magnitude is below 10^15 is written without a fraction.
  static func digits(_ number: Double) -> String {
    guard number.isFinite else { return "CAST(\"\(number)\", \"NSNumber\")" }
    guard number == number.rounded(), abs(number) < 1e15 else { return number.description }
    return String(Int64(number))
  }

  /// Returns the digits of a decimal, in a cast if parsing them as a `Double` would lose digits.
  private static func digits(_ number: Decimal) -> String {
    let digits = number.description
    guard let real = Double(digits), !number.isNaN else { return Self.digits(Double.nan) }
    let isShort = Decimal(string: real.description) == number
    return isShort ? Self.digits(real) : "CAST(\"\(digits)\", \"NSDecimalNumber\")"
  }

  private static func seconds(_ seconds: Double) -> String {
    let text = digits(seconds)
    let isWhole = text.utf8.allSatisfy { FormatLexer.isDigit($0) || $0 == UInt8(ascii: "-") }
    return isWhole ? text + ".000000" : text
  }

  private static func writeQuoted(_ content: String, to text: inout String) {
    text += "\""
    if content.utf8.contains(where: { $0 < 0x20 || $0 == 0x22 || $0 == 0x5C }) {
      for scalar in content.unicodeScalars { writeEscaped(scalar, to: &text) }
    } else {
      text += content
    }
    text += "\""
  }

  private static func writeEscaped(_ scalar: Unicode.Scalar, to text: inout String) {
    switch scalar {
    case "\"": text += "\\\""
    case "\\": text += "\\\\"
    case "\n": text += "\\n"
    case "\t": text += "\\t"
    case "\r": text += "\\r"
    default: text.unicodeScalars.append(scalar)
    }
  }
}
