// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads the default value and the bounds of an `<attribute>` element from the texts of its XML attributes.
struct ValueText {
  let type: AttributeType
  let element: MarkupElement
  let location: ModelReader.Location

  /// Reads the XML attribute `name` as a date, written in seconds since January 1, 2001.
  ///
  /// Returns nil if `type` is not `.date` or the element does not have this XML attribute.
  func date(_ name: String) throws -> Value? {
    guard type == .date, let text = element[name] else { return nil }
    guard let seconds = Double(text) else {
      throw invalidValue(name, text, expected: "a number of seconds")
    }
    return .date(seconds)
  }

  func value(_ name: String) throws -> Value? {
    guard let text = element[name] else { return nil }
    guard let value = parsed(text) else {
      guard let expected else {
        throw location.error(
          "\(name) is “\(text)”, but model files cannot contain values of the type "
            + type.traits.modelFileName,
          at: element
        )
      }
      throw invalidValue(name, text, expected: expected)
    }
    return value
  }

  /// Reads a minimum or maximum; nil if the element does not have the XML attribute `name`.
  ///
  /// For strings, data, URIs and transformables, the bound is a length. For other types, the bound is a value
  /// of the type.
  func bound(_ name: String) throws -> Value? {
    guard let text = element[name] else { return nil }
    switch type {
    case .string, .binaryData, .uri, .transformable:
      guard let length = Int64(text), length >= 0 else {
        throw invalidValue(name, text, expected: "a length (an integer of 0 or more)")
      }
      return .int(length)
    case .undefined, .integer16, .integer32, .integer64, .decimal, .double, .float, .boolean, .date,
      .uuid, .objectID, .composite:
      return try value(name)
    }
  }

  private func invalidValue(_ name: String, _ text: String, expected: String) -> ModelError {
    location.error("\(name) is “\(text)”, not \(expected)", at: element)
  }

  private var expected: String? {
    switch type.traits.form {
    case .whole(let range):
      "an integer from \(range.lowerBound) to \(range.upperBound)"
    case .double, .float, .decimal: "a number"
    case .boolean: "YES or NO"
    case .text: "a string"
    case .date: "a date such as 2013-04-23 12:00:00 +0000"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .bytes, .none: nil
    }
  }

  private func parsed(_ text: String) -> Value? {
    switch type.traits.form {
    case .whole(let range): whole(text, in: range)
    case .double: Double(text).map(Value.double)
    case .float: Float(text).map { .double(Double($0)) }
    case .decimal: Decimal(string: text, locale: nil).map(Value.decimal)
    case .boolean: truth(text)
    case .text: .text(text)
    case .date: point(text)
    case .uuid: UUID(uuidString: text).map(Value.uuid)
    case .url: URL(string: text).map(Value.url)
    case .bytes, .none: nil
    }
  }

  /// Parses an integer; nil for any other text and for an integer outside `range`.
  ///
  /// The text `NO` is 0: it remains in a model file if the type of an attribute was Boolean before.
  /// Source: observed, a model and the caches of stores made with it.
  private func whole(_ text: String, in range: ClosedRange<Int64>) -> Value? {
    if text == "NO" { return .int(0) }
    let number = Int64(text) ?? Double(text).flatMap { Int64(exactly: $0) }
    return number.flatMap { range.contains($0) ? .int($0) : nil }
  }

  private func truth(_ text: String) -> Value? {
    switch text {
    case "YES", "true": .bool(true)
    case "NO", "false": .bool(false)
    default: Double(text).map { .bool($0 != 0) }
    }
  }

  /// Parses a date in the form that old tools wrote, such as `2013-04-23 12:00:00 +0000`; nil for any other
  /// text.
  private func point(_ text: String) -> Value? {
    let parts = text.split(separator: " ")
    guard parts.count == 3 else { return nil }
    let standard = "\(parts[0])T\(parts[1])\(parts[2])"
    // Foundation's error is dropped, because the caller throws an error that names the attribute.
    guard let date = try? Date(standard, strategy: .iso8601) else { return nil }
    return .date(date.timeIntervalSinceReferenceDate)
  }
}
