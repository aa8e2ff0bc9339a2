// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Converts the values of a composite attribute's elements to the bytes in a row's slot, and back.
///
///     let bytes = CompositeRecord.data([.double(52.5), .null])
///     let values = CompositeRecord.values(bytes)
///
/// Each value is encoded as one byte for its kind, followed by the value's content. Null has no content.
package enum CompositeRecord {
  private enum Kind: UInt8 {
    case null, bool, int, double, date, decimal, text, url, uuid, data
  }

  /// Returns the record of the values of all elements, in the order of the elements; empty if all values are
  /// null.
  ///
  /// A value without a kind of its own, such as a collection, is encoded as null.
  package static func data(_ values: [Value]) -> Data {
    if values.allSatisfy(\.isNull) { return Data() }
    var data = Data()
    for value in values { append(value, to: &data) }
    return data
  }

  private static func append(_ value: Value, to data: inout Data) {
    switch value {
    case .bool(let flag): append(.bool, flag ? 1 : 0, to: &data)
    case .int(let number): append(.int, UInt64(bitPattern: number), to: &data)
    case .double(let number): append(.double, number.bitPattern, to: &data)
    case .date(let seconds): append(.date, seconds.bitPattern, to: &data)
    case .decimal(let number): append(.decimal, Data(number.description.utf8), to: &data)
    case .text(let text): append(.text, Data(text.utf8), to: &data)
    case .url(let url): append(.url, Data(url.absoluteString.utf8), to: &data)
    case .uuid(let uuid): append(.uuid, withUnsafeBytes(of: uuid.uuid) { Data($0) }, to: &data)
    case .data(let bytes): append(.data, bytes, to: &data)
    case .null, .key, .object, .collection, .dictionary, .opaque: data.append(Kind.null.rawValue)
    }
  }

  private static func append(_ kind: Kind, _ word: UInt64, to data: inout Data) {
    data.append(kind.rawValue)
    withUnsafeBytes(of: word.littleEndian) { data.append(contentsOf: $0) }
  }

  private static func append(_ kind: Kind, _ bytes: Data, to data: inout Data) {
    append(kind, UInt64(bytes.count), to: &data)
    data.append(bytes)
  }

  /// Returns the values of a record; an empty array if `data` is empty or not a record.
  ///
  /// A value whose content cannot be decoded, such as a URL that is not valid, is null.
  package static func values(_ data: Data) -> [Value] {
    var rest = data[...]
    var values: [Value] = []
    while let first = rest.popFirst() {
      guard let kind = Kind(rawValue: first), let value = value(kind, &rest) else { return [] }
      values.append(value)
    }
    return values
  }

  private static func value(_ kind: Kind, _ rest: inout Data) -> Value? {
    if kind == .null { return .null }
    guard rest.count >= 8 else { return nil }
    let word = UInt64(littleEndian: rest.withUnsafeBytes { $0.loadUnaligned(as: UInt64.self) })
    rest = rest.dropFirst(8)
    switch kind {
    case .null: return .null
    case .bool: return .bool(word != 0)
    case .int: return .int(Int64(bitPattern: word))
    case .double: return .double(Double(bitPattern: word))
    case .date: return .date(Double(bitPattern: word))
    case .decimal, .text, .url, .uuid, .data: break
    }
    guard let count = Int(exactly: word), count <= rest.count else { return nil }
    let bytes = Data(rest.prefix(count))
    rest = rest.dropFirst(count)
    return content(kind, bytes) ?? .null
  }

  private static func content(_ kind: Kind, _ bytes: Data) -> Value? {
    let text = String(decoding: bytes, as: UTF8.self)
    switch kind {
    case .decimal:
      // `Decimal(string:)` cannot read “NaN”, the description of `Decimal.nan`.
      if text == Decimal.nan.description { return .decimal(.nan) }
      return Decimal(string: text).map(Value.decimal)
    case .text: return .text(text)
    case .url: return URL(string: text).map(Value.url)
    case .uuid:
      guard bytes.count == 16 else { return nil }
      return .uuid(bytes.withUnsafeBytes { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) })
    default: return .data(bytes)
    }
  }

  /// Returns the non-null values of a record in a dictionary, by element name; `.null` if there are no such
  /// values.
  ///
  /// The values of a nested composite are in a nested dictionary.
  package static func dictionary(_ data: Data, _ elements: [CompositeElement]) -> Value {
    var pairs: [(path: ArraySlice<String>, value: Value)] = []
    for (element, value) in zip(elements, values(data)) where !value.isNull {
      pairs.append((element.path[...], value))
    }
    return pairs.isEmpty ? .null : dictionary(pairs)
  }

  private static func dictionary(_ pairs: [(path: ArraySlice<String>, value: Value)]) -> Value {
    var members: [String: Value] = [:]
    let groups = Dictionary(grouping: pairs) { $0.path.first ?? "" }
    for (name, group) in groups {
      members[name] =
        group[0].path.count < 2
        ? group[0].value : dictionary(group.map { ($0.path.dropFirst(), $0.value) })
    }
    return .dictionary(members)
  }
}
