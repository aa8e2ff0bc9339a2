// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPredicate {
  /// The format of a predicate of any class.
  ///
  /// Not in Apple's framework.
  ///
  /// Parsing the format creates an equal predicate, unless the predicate contains a part that formats cannot
  /// express, such as a block or a UUID. For Foundation's own compound predicates, `predicateFormat` returns
  /// a different text.
  ///
  /// Source: this library's choice.
  public var canonicalFormat: String { condition.format }
}

extension NSPredicate {
  /// Returns whether two predicates have equal conditions, whatever their classes.
  ///
  /// Foundation's `isEqual(_:)` treats any two of Foundation's compound predicates as equal; `==` compares
  /// their contents.
  ///
  /// Source: documented, “NSPredicate”.
  public static func == (left: NSPredicate, right: NSPredicate) -> Bool {
    left === right || left.condition == right.condition
  }

  /// Returns whether two predicates have different conditions.
  public static func != (left: NSPredicate, right: NSPredicate) -> Bool { !(left == right) }
}

// `print`, and interpolation of a value whose type is not statically known, prefer this conformance. Without
// it, Foundation's compound class would print its address.
// swift-format-ignore: AvoidRetroactiveConformances
extension NSPredicate: @retroactive TextOutputStreamable {
  /// Writes the format of the predicate, which makes `print(predicate)` print the format.
  ///
  /// Not in Apple's framework.
  ///
  /// Source: documented, “NSPredicate” (`description`).
  public func write<Target: TextOutputStream>(to target: inout Target) {
    target.write(canonicalFormat)
  }
}

extension String {
  /// Creates a string with the format of a predicate.
  ///
  /// Source: documented, “NSPredicate” (`description`).
  public init(describing predicate: NSPredicate) { self = predicate.canonicalFormat }
}

extension DefaultStringInterpolation {
  /// Appends the format of a predicate.
  ///
  /// Source: documented, “NSPredicate” (`description`).
  public mutating func appendInterpolation(_ predicate: NSPredicate) {
    appendLiteral(predicate.canonicalFormat)
  }
}
