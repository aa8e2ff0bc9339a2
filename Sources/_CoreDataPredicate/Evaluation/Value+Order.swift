// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Value {
  /// Whether a predicate treats two values as equal.
  ///
  /// Numbers of all kinds, including Booleans, are compared by value, strings with `folding`, and managed
  /// objects by key. Null equals only null.
  package func isEqual(to other: Value, folding: TextFolding = TextFolding([])) -> Bool {
    switch (self, other) {
    case (.null, .null): true
    case (.text(let a), .text(let b)): folding.equal(a, b)
    case (.int(let a), .int(let b)): a == b
    case (.date(let a), .date(let b)): a == b
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.url(let a), .url(let b)): a == b
    case (.object(let a), .object(let b)): Self.isSame(a, b)
    case (.object(let a), .key(let b)), (.key(let b), .object(let a)): a.objectKey == b
    case (.key(let a), .key(let b)): a == b
    case (.collection(let a), .collection(let b)): Self.isEqual(a, b, folding)
    case (.dictionary(let a), .dictionary(let b)):
      a.count == b.count
        && a.allSatisfy { key, value in b[key]?.isEqual(to: value, folding: folding) ?? false }
    case (.opaque, .opaque): Constant(self) == Constant(other)
    case (.object(let a), .opaque(let b)), (.opaque(let b), .object(let a)):
      Self.isSame(a, .opaque(b))
    default: Self.numericOrder(self, other) == 0
    }
  }

  private static func isEqual(
    _ left: ValueCollection,
    _ right: ValueCollection,
    _ folding: TextFolding
  ) -> Bool {
    guard left.members.count == right.members.count else { return false }
    if left.kind == .set, right.kind == .set {
      return left.members.allSatisfy { member in
        right.members.contains { $0.isEqual(to: member, folding: folding) }
      }
    }
    guard left.kind != .set, right.kind != .set else { return false }
    return zip(left.members, right.members).allSatisfy { $0.isEqual(to: $1, folding: folding) }
  }

  /// Compares two numbers; returns a negative number, zero or a positive number.
  ///
  /// A Boolean is the number 0 or 1. Nil if either value is not a number, or if either is a floating-point
  /// NaN.
  static func numericOrder(_ left: Value, _ right: Value) -> Int? {
    switch (left, right) {
    case (.int(let a), .int(let b)): return a < b ? -1 : a > b ? 1 : 0
    case (.double(let a), .double(let b)): return order(a, b)
    case (.decimal, _), (_, .decimal):
      if left.isDecimalNaN || right.isDecimalNaN { return orderOfNaN(left, right) }
      if let a = left.exactDecimal, let b = right.exactDecimal { return a < b ? -1 : a > b ? 1 : 0 }
    case (.int(let a), .double(let b)): return order(a, b)
    case (.double(let a), .int(let b)): return order(b, a).map { -$0 }
    default: break
    }
    guard let a = left.number, let b = right.number else { return nil }
    return order(a, b)
  }

  /// Compares an integer with a `Double` without rounding the integer, as SQLite does; nil for NaN.
  private static func order(_ left: Int64, _ right: Double) -> Int? {
    if right.isNaN { return nil }
    if let whole = Int64(exactly: right.rounded(.down)) {
      return left != whole ? (left < whole ? -1 : 1) : right > Double(whole) ? -1 : 0
    }
    return right > 0 ? -1 : 1
  }

  private static func order(_ left: Double, _ right: Double) -> Int? {
    left < right ? -1 : left > right ? 1 : left == right ? 0 : nil
  }

  /// Compares two values, at least one of which is a decimal NaN.
  ///
  /// A store holds a decimal NaN as text, and SQLite orders text after numbers, so the NaN follows all other
  /// numbers. Two decimal NaNs are equal. Nil if the other value is not a number, or is a floating-point NaN.
  private static func orderOfNaN(_ left: Value, _ right: Value) -> Int? {
    switch (left.isDecimalNaN, right.isDecimalNaN) {
    case (true, true): 0
    case (true, _): right.number.flatMap { $0.isNaN ? nil : 1 }
    default: left.number.flatMap { $0.isNaN ? nil : -1 }
    }
  }

  private var isDecimalNaN: Bool {
    if case .decimal(let number) = self { number.isNaN } else { false }
  }

  private var exactDecimal: Decimal? {
    switch self {
    case .decimal(let number): number
    case .int(let number): Decimal(number)
    case .bool(let flag): flag ? 1 : 0
    default: nil
    }
  }

  /// Compares two values; returns a negative number, zero or a positive number, or nil for values without an
  /// order, such as a string and a number.
  package func order(to other: Value) -> Int? {
    switch (self, other) {
    case (.int(let a), .int(let b)): a < b ? -1 : a > b ? 1 : 0
    case (.text(let a), .text(let b)): TextSearch.compare(a, b)
    case (.date(let a), .date(let b)): Self.order(a, b)
    case (.data(let a), .data(let b)): Self.order(a, b)
    case (.uuid(let a), .uuid(let b)):
      withUnsafeBytes(of: a.uuid) { left in
        withUnsafeBytes(of: b.uuid) { right in
          TextSearch.compare(
            left.bindMemory(to: UInt8.self),
            right.bindMemory(to: UInt8.self)
          )
        }
      }
    case (.url(let a), .url(let b)): TextSearch.compare(a.absoluteString, b.absoluteString)
    case (.key(let a), .key(let b)): a.raw < b.raw ? -1 : a.raw > b.raw ? 1 : 0
    case (.object(let a as any OrderedContent), _): a.order(to: other)
    case (_, .object(let b as any OrderedContent)): b.order(to: self).map { -$0.signum() }
    default: Self.numericOrder(self, other)
    }
  }

  private static func order(_ left: Data, _ right: Data) -> Int {
    left.withUnsafeBytes { a in
      right.withUnsafeBytes { b in
        TextSearch.compare(a.bindMemory(to: UInt8.self), b.bindMemory(to: UInt8.self))
      }
    }
  }
}
