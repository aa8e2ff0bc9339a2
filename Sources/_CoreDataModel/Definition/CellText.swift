// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts values and numbers to text for the output of tools and for error texts.
package enum CellText {
  /// Returns a value as text for output.
  ///
  /// Null is an empty string, and binary data is shown by its size. Line breaks in strings are kept.
  package static func line(_ value: Value) -> String {
    switch value {
    case .null: ""
    case .bool(let flag): flag ? "true" : "false"
    case .int(let number): String(number)
    case .double(let number): double(number)
    case .decimal(let number): number.description
    case .text(let text): text
    case .date(let seconds): date(seconds)
    case .data(let data): "<\(bytes(data.count))>"
    case .uuid(let uuid): uuid.uuidString
    case .url(let url): url.absoluteString
    case .key(let key): key.description
    case .object: "<object>"
    case .collection(let collection):
      "[" + collection.members.map(line).joined(separator: ", ") + "]"
    case .dictionary(let entries):
      "{"
        + entries.sorted { utf8Less($0.key, $1.key) }
        .map { "\($0.key): \(line($0.value))" }.joined(separator: ", ") + "}"
    case .opaque(let any): "\(any)"
    }
  }

  /// Returns a number as text, without a fraction if it is integral and its magnitude is below 10^15.
  package static func double(_ number: Double) -> String {
    if number.isFinite, number == number.rounded(), abs(number) < 1e15 {
      return String(Int64(number))
    }
    return "\(number)"
  }

  /// Returns seconds since 2001 as `2024-06-01T12:00:00Z`, with milliseconds unless they are zero.
  ///
  /// Infinity, NaN, and times at least 2.5 × 10^11 seconds before or after 2001 are returned as a number of
  /// seconds.
  package static func date(_ seconds: Double) -> String {
    guard seconds.isFinite, abs(seconds) < 2.5e11 else { return "\(seconds)" }
    let milliseconds = (seconds * 1000).rounded(.down)
    let date = Date(timeIntervalSinceReferenceDate: milliseconds / 1000 + 0.0001)
    let style = Date.ISO8601FormatStyle(
      includingFractionalSeconds: milliseconds.truncatingRemainder(dividingBy: 1000) != 0
    )
    return date.formatted(style)
  }

  /// Returns a size such as `17 bytes`, `4.2 KB` or `1.1 MB`; a KB is 1024 bytes.
  package static func bytes(_ count: Int) -> String {
    if count < 1024 { return count == 1 ? "1 byte" : "\(count) bytes" }
    var size = Double(count)
    var unit = 0
    while size >= 1024, unit < 4 {
      size /= 1024
      unit += 1
    }
    let tenths = (size * 10).rounded() / 10
    let shown = size < 100 ? "\(tenths)" : String(Int(size.rounded()))
    return (shown.hasSuffix(".0") ? String(shown.dropLast(2)) : shown)
      + [" bytes", " KB", " MB", " GB", " TB"][unit]
  }

  /// Returns a number with separators, such as `1,234,567`.
  package static func count(_ number: Int) -> String {
    var text = String(abs(number))
    var place = text.count - 3
    while place > 0 {
      text.insert(",", at: text.index(text.startIndex, offsetBy: place))
      place -= 3
    }
    return number < 0 ? "-" + text : text
  }

  /// Returns `1 object` or `5,000 objects`; if `total` is a different number, `6 of 32 objects`.
  package static func objects(_ number: Int, of total: Int? = nil) -> String {
    if let total, total != number {
      return "\(count(number)) of \(count(total)) \(total == 1 ? "object" : "objects")"
    }
    return "\(count(number)) \(number == 1 ? "object" : "objects")"
  }

  /// Whether a value is a number, which tables align to the right.
  package static func isNumber(_ value: Value) -> Bool {
    switch value {
    case .int, .double, .decimal: true
    default: false
    }
  }
}
