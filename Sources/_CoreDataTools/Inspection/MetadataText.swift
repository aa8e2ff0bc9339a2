// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataStore

/// Functions that format a store's metadata as rows or as JSON.
package enum MetadataText {
  /// Returns a row for each entry, sorted by key; a row contains the key and the value.
  ///
  /// Each entry of a nested dictionary has a row of its own, whose key has the form `outer.inner`. Data is
  /// written in Base64.
  package static func rows(_ metadata: StoreMetadata) -> [[Value]] {
    rows(metadata.values, prefix: "")
  }

  private static func rows(_ values: [String: Any], prefix: String) -> [[Value]] {
    values.sorted { utf8Less($0.key, $1.key) }.flatMap { key, value -> [[Value]] in
      let name = prefix + key
      if let inner = value as? [String: Any] { return rows(inner, prefix: name + ".") }
      return [[.text(name), Self.value(value)]]
    }
  }

  /// Returns a property-list value as a `Value`; data becomes a Base64 string.
  package static func value(_ any: Any) -> Value {
    switch any {
    case let text as String: .text(text)
    case let data as Data: .text(data.base64EncodedString())
    case let date as Date: .date(date.timeIntervalSinceReferenceDate)
    case let number as NSNumber: self.number(number)
    case let list as [Any]: .collection(ValueCollection(.array, list.map(value)))
    case let entries as [String: Any]: .dictionary(entries.mapValues(value))
    default: .text("\(any)")
    }
  }

  private static func number(_ number: NSNumber) -> Value {
    if CFBooleanLike.isBoolean(number) { return .bool(number.boolValue) }
    switch String(cString: number.objCType) {
    case "d", "f": return .double(number.doubleValue)
    // Unsigned numbers can exceed the range of `Int64`.
    case "Q", "L":
      let whole = number.uint64Value
      return Int64(exactly: whole).map(Value.int) ?? .decimal(Decimal(whole))
    default: return .int(number.int64Value)
    }
  }

  /// Returns the metadata as one JSON object.
  package static func json(_ metadata: StoreMetadata) -> String {
    JSONText.value(.dictionary(metadata.values.mapValues(value)))
  }
}

/// Distinguishes Booleans from other `NSNumber` objects, which have a different class.
private enum CFBooleanLike {
  private static let truth: AnyClass = type(of: NSNumber(value: true))
  static func isBoolean(_ number: NSNumber) -> Bool { type(of: number) == truth }
}
