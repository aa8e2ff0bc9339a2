// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A list of sort keys, of which the first has precedence.
package struct SortOrder: Sendable {
  package let keys: [SortKey]
  package init(_ keys: [SortKey]) { self.keys = keys }

  /// Returns the values by which an object is ordered, one for each key.
  ///
  /// The value of a key path through a to-many relationship is a collection, unless an operator in the path,
  /// such as `@count`, yields a single value. Collections compare as equal, unless the sort key has a
  /// comparator block.
  ///
  /// - Throws: `UnknownKey` or `EvaluationError`, and the errors of the object.
  package func values(of object: Value) throws -> [Value] {
    try keys.map { $0.keyPath.isEmpty ? object : try object.value(forKeyPath: $0.keyPath) }
  }

  /// Compares the results of `values(of:)` for two objects; returns a negative number, zero or a positive
  /// number.
  package func compare(_ left: [Value], _ right: [Value]) -> Int {
    for index in keys.indices {
      let order = keys[index].compare(left[index], right[index])
      if order != 0 { return order }
    }
    return 0
  }

  /// Compares two objects; returns a negative number, zero or a positive number.
  ///
  /// - Throws: `UnknownKey` or `EvaluationError`, and the errors of the objects.
  package func compare(_ left: Value, _ right: Value) throws -> Int {
    for key in keys {
      let a = try key.keyPath.isEmpty ? left : left.value(forKeyPath: key.keyPath)
      let b = try key.keyPath.isEmpty ? right : right.value(forKeyPath: key.keyPath)
      let order = key.compare(a, b)
      if order != 0 { return order }
    }
    return 0
  }

  /// Returns the elements sorted; the sort is stable.
  ///
  /// `value` returns the value from which the keys are read, such as `.object(element)`.
  ///
  /// - Throws: `UnknownKey` or `EvaluationError`, and the errors of the objects.
  /// - Complexity: O(n log n) comparisons; every key of every element is read once.
  package func sorted<Element>(
    _ elements: [Element],
    by value: (Element) -> Value
  ) throws -> [Element] {
    if keys.isEmpty || elements.count < 2 { return elements }
    let objects = elements.map(value)
    let columns = try keys.map { key in
      let reader = KeyReader(key.keyPath)
      return SortColumn(try objects.map { try reader.value(of: $0) }, key)
    }
    return Self.permutation(columns, elements.count).map { elements[$0] }
  }

  /// Returns the objects sorted; the sort is stable.
  ///
  /// - Throws: `UnknownKey` or `EvaluationError`, and the errors of the objects.
  /// - Complexity: O(n log n) comparisons; every key of every object is read once.
  package func sorted<Object: KeyedObject>(_ objects: [Object]) throws -> [Object] {
    try sorted(objects) { .object($0) }
  }

  /// Returns the indices of the rows in sorted order; the sort is stable.
  ///
  /// A row has one value for each key.
  package func permutation(_ rows: [[Value]]) -> [Int] {
    let columns = keys.indices.map { index in
      SortColumn(rows.map { $0[index] }, keys[index])
    }
    return Self.permutation(columns, rows.count)
  }

  /// The leading code of an element (see `SortColumn.leadingCodes(_:)`) and its index before sorting.
  private struct SortItem {
    let code: UInt64
    let index: Int
  }

  private static func permutation(_ columns: [SortColumn], _ count: Int) -> [Int] {
    guard let first = columns.first else { return Array(0..<count) }
    var items = first.leadingCodes(count).enumerated().map { SortItem(code: $1, index: $0) }
    // Unmanaged, because otherwise every comparison would retain and release the columns.
    let rest = (first.isExact ? columns.dropFirst() : columns[...]).map(Unmanaged.passUnretained)
    withExtendedLifetime(columns) {
      rest.withUnsafeBufferPointer { rest in
        items.sort { left, right in
          if left.code != right.code { return left.code < right.code }
          for column in rest {
            let order = column._withUnsafeGuaranteedRef { $0.compare(left.index, right.index) }
            if order != 0 { return order < 0 }
          }
          return left.index < right.index
        }
      }
    }
    return items.map(\.index)
  }
}
