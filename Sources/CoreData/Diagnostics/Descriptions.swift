// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSObject {
  /// The beginning of a description: the class name, without generic parameters, and the address, in angle
  /// brackets.
  final var addressedName: String { "<\(plainClassName): \(addressText)>" }

  /// The name of the class without module and generic parameters.
  final var plainClassName: String {
    String("\(type(of: self))".prefix { $0 != "<" })
  }

  final var addressText: String { "\(Unmanaged.passUnretained(self).toOpaque())" }
}

/// The functions that format collections for descriptions, in the style of text property lists.
enum DescribedValues {
  /// Returns `{ key = value; … }`, one line for each value, sorted by key; `{}` if empty and `(null)` for
  /// nil.
  static func dictionary(_ values: [AnyHashable: Any]?) -> String {
    guard let values else { return "(null)" }
    if values.isEmpty { return "{}" }
    let lines = values.map { ("\($0.key.base)", $0.value) }.sorted { $0.0 < $1.0 }
      .map { "    \($0.0) = \(text($0.1));" }
    return "{\n" + lines.joined(separator: "\n") + "\n}"
  }

  /// Returns `( value, … )`, one line for each value; `()` if empty and `(null)` for nil.
  static func array(_ values: [Any]?) -> String {
    guard let values else { return "(null)" }
    if values.isEmpty { return "()" }
    return "(\n" + values.map { "    \(text($0))" }.joined(separator: ",\n") + "\n)"
  }

  private static func text(_ value: Any) -> String {
    switch value {
    case is NSNull: "<null>"
    case let text as String: "\"\(text)\""
    case let object as NSManagedObject: "\(object.objectID)"
    default: "\(value)"
    }
  }
}
