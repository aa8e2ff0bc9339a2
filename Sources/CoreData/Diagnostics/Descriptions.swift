// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSObject {
  /// Class and address in angle brackets, as descriptions begin; generic parameters left out.
  final var addressedName: String { "<\(plainClassName): \(addressText)>" }

  /// The class without module and generic parameters.
  final var plainClassName: String {
    String("\(type(of: self))".prefix { $0 != "<" })
  }

  /// The object's address in hexadecimal.
  final var addressText: String { "\(Unmanaged.passUnretained(self).toOpaque())" }
}

/// Values as property lists print them, for descriptions.
enum DescribedValues {
  /// `{ key = value; … }`, a line each, by key; `{}` for none and `(null)` for nil.
  static func dictionary(_ values: [AnyHashable: Any]?) -> String {
    guard let values else { return "(null)" }
    if values.isEmpty { return "{}" }
    let lines = values.map { ("\($0.key.base)", $0.value) }.sorted { $0.0 < $1.0 }
      .map { "    \($0.0) = \(text($0.1));" }
    return "{\n" + lines.joined(separator: "\n") + "\n}"
  }

  /// `( value, … )`, a line each; `()` for none and `(null)` for nil.
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
