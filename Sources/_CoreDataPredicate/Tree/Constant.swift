// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// A constant in a term.
///
/// Wraps a `Value`, which is not `Hashable`, so that terms and conditions can be `Hashable`.
package struct Constant: Hashable, Sendable {
  package let value: Value
  package init(_ value: Value) { self.value = value }
}

extension Constant {
  /// Whether two constants are equal.
  ///
  /// Numbers of any kind are compared by value, and other constants by kind and content. NaN equals itself,
  /// strings are compared byte for byte, and an object equals only itself.
  package static func == (left: Constant, right: Constant) -> Bool {
    switch (left.value, right.value) {
    case (.null, .null): true
    case (.text(let a), .text(let b)): a.utf8.elementsEqual(b.utf8)
    case (.date(let a), .date(let b)): a == b || a.isNaN && b.isNaN
    case (.data(let a), .data(let b)): a == b
    case (.uuid(let a), .uuid(let b)): a == b
    case (.url(let a), .url(let b)): a == b
    case (.key(let a), .key(let b)): a == b
    case (.object(let a), .object(let b)): a === b
    case (.collection(let a), .collection(let b)):
      a.kind == b.kind && a.members.map(Constant.init) == b.members.map(Constant.init)
    case (.dictionary(let a), .dictionary(let b)):
      a.mapValues(Constant.init) == b.mapValues(Constant.init)
    case (.opaque(let a), .opaque(let b)):
      (a as? AnyHashable).flatMap { left in (b as? AnyHashable).map { left == $0 } } ?? false
    default: areEqualNumbers(left.value, right.value)
    }
  }

  private static func areEqualNumbers(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.bool(let a), _): areEqualNumbers(.int(a ? 1 : 0), right)
    case (_, .bool(let b)): areEqualNumbers(left, .int(b ? 1 : 0))
    case (.int(let a), .int(let b)): a == b
    case (.double(let a), .double(let b)): a == b || a.isNaN && b.isNaN
    case (.int(let a), .double(let b)), (.double(let b), .int(let a)): Int64(exactly: b) == a
    case (.decimal(let a), .decimal(let b)): a == b
    case (.decimal(let a), .int(let b)), (.int(let b), .decimal(let a)): a == Decimal(b)
    case (.decimal(let a), .double(let b)), (.double(let b), .decimal(let a)):
      nearest(to: a) == b || a.isNaN && b.isNaN
    default: false
    }
  }

  /// Returns the `Double` nearest to a decimal.
  ///
  /// The digits are parsed, because computing with powers of ten can give a neighbouring `Double`.
  private static func nearest(to number: Decimal) -> Double {
    Double(number.description) ?? .nan
  }

  package func hash(into hasher: inout Hasher) {
    switch value {
    case .null: hasher.combine(0)
    case .bool(let flag): hasher.combine(flag ? 1.0 : 0.0)
    case .int(let number): hasher.combine(Double(number))
    case .double(let number), .date(let number): hasher.combine(number.isNaN ? .nan : number)
    case .decimal(let number):
      let nearest = Self.nearest(to: number)
      hasher.combine(nearest.isNaN ? .nan : nearest)
    case .text(let text): hasher.combine(text)
    case .data(let data): hasher.combine(data)
    case .uuid(let uuid): hasher.combine(uuid)
    case .url(let url): hasher.combine(url)
    case .key(let key): hasher.combine(key)
    case .object(let object): hasher.combine(ObjectIdentifier(object))
    case .collection(let collection): hasher.combine(collection.members.count)
    case .dictionary(let dictionary): hasher.combine(dictionary.count)
    case .opaque: hasher.combine(1)
    }
  }
}
