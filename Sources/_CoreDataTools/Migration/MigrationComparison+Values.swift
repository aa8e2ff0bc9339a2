// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension MigrationComparison {
  /// Returns two collections: the expected values of a composite attribute's elements, and the actual values.
  static func composites(
    _ attribute: AttributeDefinition,
    from source: AttributeDefinition?,
    was: Value?,
    _ value: Value
  ) -> (Value, Value) {
    func elements(_ value: Value?, _ count: Int) -> [Value] {
      var values: [Value] = []
      if case .data(let record)? = value { values = CompositeRecord.values(record) }
      return values + [Value](repeating: .null, count: max(0, count - values.count))
    }
    let before = elements(was, source?.elements.count ?? 0)
    let after = elements(value, attribute.elements.count)
    let expected = attribute.elements.map { element -> Value in
      let index = source?.elements.firstIndex { $0.path == element.path }
      guard let index else { return element.attribute.defaultValue }
      let value = before[index]
      return value.isNull && !element.isOptional ? element.attribute.defaultValue : value
    }
    return (
      .collection(ValueCollection(.array, expected)), .collection(ValueCollection(.array, after))
    )
  }

  static func text(_ value: Value) -> String {
    let text = value.isNull ? "nil" : CellText.line(value)
    return text.count > 80 ? text.prefix(80) + "…" : text
  }

  /// Returns whether two values are equal; numbers of different types are compared by their values.
  package static func areEqual(_ left: Value, _ right: Value) -> Bool {
    switch (left, right) {
    case (.null, .null): true
    case (.text(let left), .text(let right)): left == right
    case (.data(let left), .data(let right)): left == right
    case (.uuid(let left), .uuid(let right)): left == right
    case (.url(let left), .url(let right)): left == right
    case (.decimal(let left), .decimal(let right)): left == right
    case (.int(let left), .int(let right)): left == right
    case (.collection(let left), .collection(let right)):
      left.members.count == right.members.count
        && zip(left.members, right.members).allSatisfy { areEqual($0, $1) }
    default: number(left).map { $0 == number(right) } ?? false
    }
  }

  /// Returns a number, Boolean or date as a `Double`, so that equal values of different types compare equal.
  ///
  /// Returns nil for any other value.
  private static func number(_ value: Value) -> Double? {
    switch value {
    case .bool(let flag): flag ? 1 : 0
    case .int(let number): Double(number)
    case .double(let number), .date(let number): number
    case .decimal(let number): NSDecimalNumber(decimal: number).doubleValue
    default: nil
    }
  }
}
