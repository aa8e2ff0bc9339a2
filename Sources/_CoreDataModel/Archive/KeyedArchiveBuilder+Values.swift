// SPDX-License-Identifier: Apache-2.0

import Foundation

extension KeyedArchiveBuilder {
  /// Adds a value as an archived Foundation object and returns the reference to the object.
  ///
  /// Null, managed objects, object keys and opaque values become the null reference. A null member of a
  /// collection or dictionary becomes `NSNull`.
  /// Source: observed, the default values of attributes in model caches.
  package mutating func value(_ value: Value) -> PropertyListNode {
    switch value {
    case .bool(let flag): scalar(.bool(flag))
    case .int(let number): scalar(.integer(number))
    case .double(let number): scalar(.real(number))
    case .decimal(let number): decimal(number)
    case .text(let text): self.text(text)
    case .date(let seconds): object(.date, ["NS.time": .real(seconds)])
    case .data(let data): scalar(.data(data))
    case .uuid(let uuid):
      object(.uuid, ["NS.uuidbytes": .data(withUnsafeBytes(of: uuid.uuid) { Data($0) })])
    case .url(let url):
      object(.url, ["NS.base": Self.null, "NS.relative": text(url.absoluteString)])
    case .collection(let collection): array(collection)
    case .dictionary(let members):
      dictionary(
        .dictionary,
        members.sorted { utf8Less($0.key, $1.key) }.map { ($0.key, member($0.value)) }
      )
    case .null, .key, .object, .opaque: Self.null
    }
  }

  private mutating func array(_ collection: ValueCollection) -> PropertyListNode {
    let members = collection.members.map { member($0) }
    return switch collection.kind {
    case .array: array(.array, members)
    case .set: array(.set, members)
    case .orderedSet: array(.orderedSet, members)
    }
  }

  private mutating func member(_ value: Value) -> PropertyListNode {
    value.isNull ? object(.null, [:]) : self.value(value)
  }

  private mutating func decimal(_ number: Decimal) -> PropertyListNode {
    // The last 16 of a Decimal's 20 bytes are the eight 16-bit units of its mantissa, least significant
    // first.
    let mantissa = withUnsafeBytes(of: number) { Array($0.suffix(16)) }
    let units = (mantissa.lastIndex { $0 != 0 } ?? -2) / 2 + 1
    return object(
      .decimal,
      [
        "NS.mantissa": .data(Data(mantissa)), "NS.mantissa.bo": .integer(1),
        "NS.negative": .bool(number < 0), "NS.exponent": .integer(Int64(number.exponent)),
        "NS.length": .integer(Int64(units)), "NS.compact": .bool(false),
      ]
    )
  }
}
