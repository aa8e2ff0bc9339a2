// SPDX-License-Identifier: Apache-2.0

import Foundation

extension NSPredicate {
  /// The format of the predicate, whatever its class; parsing it gives an equal predicate where it holds
  /// no blocks.
  ///
  /// Not in Apple's framework.
  ///
  /// `predicateFormat` says the same for every predicate but those of Foundation's own compound class
  /// and its subclasses. Source: chosen.
  public var canonicalFormat: String { condition.format }
}

extension NSPredicate {
  /// Whether two predicates say the same, whatever their classes.
  ///
  /// Foundation's `isEqual(_:)` finds any two of its own compound predicates equal; written with `==`
  /// they are compared by what they say. Source: documented (NSPredicate).
  public static func == (left: NSPredicate, right: NSPredicate) -> Bool {
    left === right || left.condition == right.condition
  }

  /// Whether two predicates say different things.
  public static func != (left: NSPredicate, right: NSPredicate) -> Bool { !(left == right) }
}

// `print` and interpolation of a value whose type is not known ask for this first; Foundation's compound class
// would show its address there.
// swift-format-ignore: AvoidRetroactiveConformances
extension NSPredicate: @retroactive TextOutputStreamable {
  /// Writes the format of the predicate, so that `print(predicate)` shows it.
  ///
  /// Not in Apple's framework.
  ///
  /// Source: documented (NSPredicate, `description`).
  public func write<Target: TextOutputStream>(to target: inout Target) {
    target.write(canonicalFormat)
  }
}

extension String {
  /// The format of a predicate.
  ///
  /// Source: documented (NSPredicate, `description`).
  public init(describing predicate: NSPredicate) { self = predicate.canonicalFormat }
}

extension DefaultStringInterpolation {
  /// The format of a predicate.
  ///
  /// Source: documented (NSPredicate, `description`).
  public mutating func appendInterpolation(_ predicate: NSPredicate) {
    appendLiteral(predicate.canonicalFormat)
  }
}
