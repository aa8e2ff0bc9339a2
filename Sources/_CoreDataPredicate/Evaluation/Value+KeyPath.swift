// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Value {
  /// Returns the value at a key path, which can contain collection operators.
  ///
  /// An example is `department.employees.@max.salary`. The result is null if a value on the path is null. A
  /// key after a collection is applied to each member; for a set, the result excludes nulls and duplicates.
  /// - Throws: `UnknownKey`; `EvaluationError` for an operator that does not apply to the value; the errors
  ///   of the objects.
  package func value(forKeyPath path: String) throws -> Value {
    guard path.utf8.contains(Self.dot) else { return try value(forKey: path) }
    var current = self
    var rest = path[...]
    while let end = rest.utf8.firstIndex(of: Self.dot) {
      let key = rest[..<end]
      let tail = rest[rest.index(after: end)...]
      if key.utf8.first == Self.at {
        switch current {
        case .collection(let collection):
          return try CollectionOperator.value(collection, key, String(tail))
        case .dictionary where key == "@count":
          throw EvaluationError(
            .invalidArgument,
            "The @count of a dictionary is a number, which has no key \(tail)"
          )
        default: break
        }
      }
      current = try current.value(forKey: String(key))
      if current.isNull { return .null }
      rest = tail
    }
    return try current.value(forKey: String(rest))
  }

  private static var dot: UInt8 { UInt8(ascii: ".") }
  private static var at: UInt8 { UInt8(ascii: "@") }

  /// Returns the value of one key; null for a key that a dictionary does not have, and for every key of null.
  ///
  /// - Throws: `UnknownKey` if the value has no such key; the errors of a collection operator or an object.
  package func value(forKey key: String) throws -> Value {
    switch self {
    case .object(let object):
      if ManagedKeys.isSelf(key) { return self }
      return try object.keyedValue(key)
    case .null: return .null
    case .collection(let collection):
      if key.utf8.first == Self.at {
        return try CollectionOperator.value(collection, key[...], nil)
      }
      if key == "self" || key == "#self" { return self }
      return .collection(try collection.values(forKey: key))
    case .dictionary(let dictionary): return dictionaryValue(dictionary, key)
    default:
      if key == "self" || key == "#self" || key == "SELF" { return self }
      return try scalarValue(key)
    }
  }

  private func dictionaryValue(_ dictionary: [String: Value], _ key: String) -> Value {
    if let value = dictionary[key] { return value }
    switch key {
    case "@count": return .int(Int64(dictionary.count))
    case "@allKeys":
      return .collection(ValueCollection(.array, dictionary.keys.sorted().map { .text($0) }))
    case "@allValues":
      let members = dictionary.keys.sorted().compactMap { dictionary[$0] }
      return .collection(ValueCollection(.array, members))
    case "self", "#self", "SELF": return self
    default: return .null
    }
  }

  private func scalarValue(_ key: String) throws -> Value {
    if key == "description" || key == "stringValue" { return .text(plainText) }
    switch (self, key) {
    case (.text(let text), "length"): return .int(Int64(text.utf16.count))
    case (.text(let text), "uppercaseString"): return .text(text.uppercased())
    case (.text(let text), "lowercaseString"): return .text(text.lowercased())
    case (.text(let text), "capitalizedString"): return .text(text.capitalized)
    case (.data(let data), "length"): return .int(Int64(data.count))
    case (.uuid(let uuid), "UUIDString"), (.uuid(let uuid), "uuidString"):
      return .text(uuid.uuidString)
    case (.url(let url), "absoluteString"): return .text(url.absoluteString)
    case (.url(let url), "path"): return .text(url.path)
    case (.url(let url), "host"): return url.host.map(Value.text) ?? .null
    case (.url(let url), "scheme"): return url.scheme.map(Value.text) ?? .null
    case (.url(let url), "lastPathComponent"): return .text(url.lastPathComponent)
    case (.date(let seconds), "timeIntervalSinceReferenceDate"): return .double(seconds)
    case (.date(let seconds), "timeIntervalSince1970"):
      return .double(seconds + Date.timeIntervalBetween1970AndReferenceDate)
    default: break
    }
    guard let number = numericPrefix else { throw UnknownKey(key: key, owner: kindName) }
    switch key {
    case "intValue", "integerValue", "longLongValue", "longValue", "shortValue":
      return truncated.map(Value.int) ?? .int(Int64(exactly: number.rounded(.towardZero)) ?? 0)
    case "doubleValue": return .double(number)
    case "floatValue": return .double(Double(Float(number)))
    case "boolValue": return .bool(number != 0)
    default: throw UnknownKey(key: key, owner: kindName)
    }
  }

  /// The value as a number; nil for a value that is neither a string nor a number.
  ///
  /// A string is converted to the number at its start, or to 0 if it does not start with a number.
  private var numericPrefix: Double? {
    guard case .text(let text) = self else { return number }
    let trimmed = text.drop { $0.isWhitespace }
    let digits = trimmed.prefix { "+-.eE0123456789".contains($0) }
    var end = digits.endIndex
    while end > digits.startIndex {
      if let number = Double(digits[..<end]) { return number }
      end = digits.index(before: end)
    }
    return 0
  }

  /// The value as text, which is the result of `CAST(…, "NSString")` and of the key `description`.
  var plainText: String {
    switch self {
    case .text(let text): text
    case .date(let seconds): Date(timeIntervalSinceReferenceDate: seconds).description
    default: shown
    }
  }

  /// The kind of the value in error texts, such as `a number`.
  package var kindName: String {
    switch self {
    case .null: "nil"
    case .bool, .int, .double, .decimal: "a number"
    case .text: "a string"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .url: "a URL"
    case .key: "an object ID"
    case .object: "an object"
    case .collection: "a collection"
    case .dictionary: "a dictionary"
    case .opaque: "a value of a custom type"
    }
  }
}

extension ValueCollection {
  /// Returns the value of `key` for each member; for a set, the result excludes nulls and duplicates.
  func values(forKey key: String) throws -> ValueCollection {
    var values: [Value] = []
    values.reserveCapacity(members.count)
    for member in members { values.append(try member.value(forKey: key)) }
    return kind == .set
      ? ValueCollection(.set, Self.distinct(values)) : ValueCollection(kind, values)
  }

  /// Returns the values without nulls and duplicates, in their original order.
  static func distinct(_ values: [Value]) -> [Value] {
    var seen = Set<Constant>(minimumCapacity: values.count)
    return values.filter { !$0.isNull && seen.insert($0.identity).inserted }
  }
}
