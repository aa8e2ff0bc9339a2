// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text that represents a reference object in the URI of an object's ID.
///
/// Two reference objects with the same text identify the same object, because another process receives only
/// the URI. Source: behaviour.md INC-3; the text of data is this library's choice.
enum ReferenceText {
  /// Returns the text of a reference object; data is written in hexadecimal digits.
  static func text(of reference: Any) -> String {
    switch reference {
    case let text as String: text
    case let uuid as UUID: uuid.uuidString
    case let data as Data:
      data.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
    case let url as URL: url.absoluteString
    case let number as NSNumber: number.stringValue
    case let hashable as AnyHashable: "\(hashable.base)"
    default: "\(reference)"
    }
  }

  /// Returns a reference object for the text in a URI.
  ///
  /// The text does not say which type of reference object the store uses. A decimal integer becomes a number
  /// if `usesNumbers` is true, or nil because the type is not known yet; any other text stays a string.
  /// Source: this library's choice.
  static func reference(from text: String, usesNumbers: Bool?) -> Any {
    guard usesNumbers ?? true, let number = Int64(text), String(number) == text else { return text }
    return NSNumber(value: number)
  }
}
