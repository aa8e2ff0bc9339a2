// SPDX-License-Identifier: Apache-2.0

import CoreData

/// A value of a store's metadata in JSON, which has neither data nor dates: they are dictionaries of one entry.
enum JSONMetadata: Codable, Sendable {
  case value(JSONValue)
  case data(Data)
  case date(Date)
  case array([JSONMetadata])
  case dictionary([String: JSONMetadata])

  private enum Key: String, CodingKey { case data, date, dictionary }

  init(from decoder: any Decoder) throws {
    // The errors are dropped: a value of another kind is tried next.
    if let keyed = try? decoder.container(keyedBy: Key.self) {
      if keyed.contains(.data) {
        self = .data(try keyed.decode(Data.self, forKey: .data))
      } else if keyed.contains(.date) {
        self = .date(try keyed.decode(Date.self, forKey: .date))
      } else {
        self = .dictionary(try keyed.decode([String: JSONMetadata].self, forKey: .dictionary))
      }
    } else if let array = try? [JSONMetadata](from: decoder) {
      self = .array(array)
    } else {
      self = .value(try JSONValue(from: decoder))
    }
  }

  func encode(to encoder: any Encoder) throws {
    switch self {
    case .value(let value): try value.encode(to: encoder)
    case .array(let array): try array.encode(to: encoder)
    case .data(let data):
      var keyed = encoder.container(keyedBy: Key.self)
      try keyed.encode(data, forKey: .data)
    case .date(let date):
      var keyed = encoder.container(keyedBy: Key.self)
      try keyed.encode(date, forKey: .date)
    case .dictionary(let dictionary):
      var keyed = encoder.container(keyedBy: Key.self)
      try keyed.encode(dictionary, forKey: .dictionary)
    }
  }

  /// Returns nil for a value that metadata cannot have.
  init?(_ value: Any) {
    switch value {
    case let data as Data: self = .data(data)
    case let date as Date: self = .date(date)
    case let text as String: self = .value(.text(text))
    case let array as [Any]: self = .array(array.compactMap { JSONMetadata($0) })
    case let dictionary as [String: Any]:
      self = .dictionary(dictionary.compactMapValues { JSONMetadata($0) })
    case let flag as Bool where type(of: value) == Bool.self: self = .value(.flag(flag))
    default:
      guard let number = JSONValue.number(value) else { return nil }
      let isWhole = number.doubleValue == Double(number.int64Value)
      self = .value(isWhole ? .integer(number.int64Value) : .number(number.doubleValue))
    }
  }

  var any: Any {
    switch self {
    case .value(.flag(let flag)): flag
    case .value(.integer(let integer)): Int(integer)
    case .value(.number(let number)): number
    case .value(.text(let text)): text
    case .data(let data): data
    case .date(let date): date
    case .array(let array): array.map(\.any)
    case .dictionary(let dictionary): dictionary.mapValues(\.any)
    }
  }

  static func encoded(_ metadata: [String: Any]) -> [String: JSONMetadata] {
    metadata.compactMapValues { JSONMetadata($0) }
  }

  static func decoded(_ metadata: [String: JSONMetadata]) -> [String: Any] {
    metadata.mapValues(\.any)
  }
}
