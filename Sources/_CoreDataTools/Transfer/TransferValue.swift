// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Converts attribute values to their form in record files, and back.
package enum TransferValue {
  /// Returns a stored value in its form for record files.
  ///
  /// A date becomes an ISO 8601 string if that form is exact; otherwise, it becomes a number of seconds since
  /// 2001. Decimals, UUIDs, URLs and numbers that are not finite become strings.
  package static func written(_ value: Value) -> Value {
    switch value {
    case .date(let seconds):
      let text = CellText.date(seconds)
      return parsedDate(text) == seconds ? .text(text) : .double(seconds)
    case .decimal(let number): return .text(number.description)
    case .double(let number) where !number.isFinite: return .text("\(number)")
    case .uuid(let uuid): return .text(uuid.uuidString)
    case .url(let url): return .text(url.absoluteString)
    case .dictionary(let members): return .dictionary(members.mapValues(written))
    default: return value
    }
  }

  /// Converts a value from a record file to the attribute's type; nil if this is not possible.
  ///
  /// CSV files contain only strings, so a string that can be parsed is accepted for every type: for example,
  /// `yes` for a Boolean, ISO 8601 or seconds since 2001 for a date, and Base64 for data.
  package static func read(_ value: Value, as type: AttributeType) -> Value? {
    if value.isNull { return value }
    switch type.traits.form {
    case .whole(let range): return whole(value, range)
    case .double: return real(value).map(Value.double)
    case .float: return real(value).map { .double(Double(Float($0))) }
    case .decimal: return decimal(value).map(Value.decimal)
    case .boolean: return truth(value).map(Value.bool)
    case .text: return text(value).map(Value.text)
    case .date: return date(value).map(Value.date)
    case .uuid:
      if case .uuid = value { return value }
      return text(value).flatMap { UUID(uuidString: $0) }.map(Value.uuid)
    case .url:
      if case .url = value { return value }
      return text(value).flatMap { URL(string: $0) }.map(Value.url)
    case .bytes:
      if case .data = value { return value }
      return text(value).flatMap { Data(base64Encoded: $0) }.map(Value.data)
    case .none: return nil
    }
  }

  /// Returns the error for a value that `read(_:as:)` cannot convert; `place` names the file, line and
  /// property.
  static func mismatch(_ value: Value, _ type: AttributeType, at place: String) -> ToolError {
    let name = type.traits.modelFileName
    let advice: String
    switch type.traits.form {
    case .whole(let range):
      advice = "Write an integer from \(range.lowerBound) to \(range.upperBound)."
    case .double, .float, .decimal: advice = "Write a number."
    case .boolean: advice = "Write true or false."
    case .text: advice = "Write a string."
    case .date:
      advice = "Write a date such as 2024-06-01T12:00:00Z or 2024-06-01, or seconds since 2001."
    case .uuid: advice = "Write a UUID such as 0A1B2C3D-0000-4000-8000-00000000000A."
    case .url: advice = "Write a URL."
    case .bytes: advice = "Write the data in Base64."
    case .none:
      return ToolError(
        "\(place): values of type \(name) cannot be read from a file",
        hint: "Remove the value, or write null."
      )
    }
    return ToolError("\(place): \(shown(value)) is not a value of type \(name)", hint: advice)
  }

  static func shown(_ value: Value) -> String {
    let text = JSONText.value(value)
    return text.count > 60 ? text.prefix(60) + "…" : text
  }

  private static func whole(_ value: Value, _ range: ClosedRange<Int64>) -> Value? {
    let number: Int64? =
      switch value {
      case .int(let number): number
      case .bool(let flag): flag ? 1 : 0
      case .double(let number): Int64(exactly: number)
      case .text(let text): Int64(text.trimmingCharacters(in: .whitespaces))
      default: nil
      }
    return number.flatMap { range.contains($0) ? .int($0) : nil }
  }

  private static func real(_ value: Value) -> Double? {
    switch value {
    case .int(let number): Double(number)
    case .double(let number): number
    case .text(let text): Double(text.trimmingCharacters(in: .whitespaces))
    default: nil
    }
  }

  private static func decimal(_ value: Value) -> Decimal? {
    switch value {
    case .int(let number): return Decimal(number)
    case .double(let number): return Decimal(string: "\(number)", locale: nil)
    case .decimal(let number): return number
    // Exports write NaN in this form.
    case .text("NaN"): return .nan
    case .text(let text):
      let allowed = text.allSatisfy { $0.isNumber || "+-.eE".contains($0) }
      return allowed ? Decimal(string: text, locale: nil) : nil
    default: return nil
    }
  }

  private static func truth(_ value: Value) -> Bool? {
    switch value {
    case .bool(let flag): flag
    case .int(0), .double(0): false
    case .int(1), .double(1): true
    case .text(let text):
      switch text.lowercased() {
      case "true", "yes", "1": true
      case "false", "no", "0": false
      default: nil
      }
    default: nil
    }
  }

  /// Returns a string, number or Boolean as a string, because JSON files often contain numbers for string
  /// attributes; nil for any other value.
  private static func text(_ value: Value) -> String? {
    switch value {
    case .text(let text): text
    case .int, .double, .bool: CellText.line(value)
    default: nil
    }
  }

  private static func date(_ value: Value) -> Double? {
    switch value {
    case .date(let seconds): seconds
    case .int(let number): Double(number)
    case .double(let number): number
    case .text(let text): Double(text) ?? parsedDate(text)
    default: nil
    }
  }

  /// Parses a date such as `2024-06-01T12:00:00Z`, with optional fractions of a second and any time zone, or
  /// a day such as `2024-06-01`; nil for any other text.
  static func parsedDate(_ text: String) -> Double? {
    if !namesDay(text) { return nil }
    let styles = [
      Date.ISO8601FormatStyle(), Date.ISO8601FormatStyle(includingFractionalSeconds: true),
      Date.ISO8601FormatStyle().year().month().day(),
    ]
    for style in styles {
      // The error is dropped: the next form is tried, and the caller reports a text that has no valid form.
      guard let date = try? style.parse(text) else { continue }
      // The date is rounded to milliseconds, because Foundation's sum of seconds and fraction is not exact.
      return (date.timeIntervalSinceReferenceDate * 1000).rounded() / 1000
    }
    return nil
  }

  /// Whether the first ten characters are a valid day; Foundation would parse February 30 as a day in March.
  private static func namesDay(_ text: String) -> Bool {
    let parts = text.prefix(10).split(separator: "-").map { Int($0) }
    guard parts.count == 3, let year = parts[0], let month = parts[1], let day = parts[2],
      1...12 ~= month, day > 0
    else { return false }
    let isLeap = year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    return day <= [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31][month - 1]
  }
}
