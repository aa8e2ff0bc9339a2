// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Several sort keys, the first deciding most.
package struct SortOrder: Sendable {
  package let keys: [SortKey]
  package init(_ keys: [SortKey]) { self.keys = keys }

  /// The values that decide the place of an object, one for each key.
  ///
  /// A key path through a to-many relationship gives a collection, which has no order.
  /// - Throws: `UnknownKey`, and what the object throws.
  package func values(of object: Value) throws -> [Value] {
    try keys.map { $0.keyPath.isEmpty ? object : try object.value(forKeyPath: $0.keyPath) }
  }

  /// Negative, zero or positive for the values of two objects, as `values(of:)` gives them.
  package func compare(_ left: [Value], _ right: [Value]) -> Int {
    for index in keys.indices {
      let order = keys[index].compare(left[index], right[index])
      if order != 0 { return order }
    }
    return 0
  }

  /// Negative, zero or positive for two objects.
  ///
  /// - Throws: `UnknownKey`, and what the objects throw.
  package func compare(_ left: Value, _ right: Value) throws -> Int {
    for key in keys {
      let a = try key.keyPath.isEmpty ? left : left.value(forKeyPath: key.keyPath)
      let b = try key.keyPath.isEmpty ? right : right.value(forKeyPath: key.keyPath)
      let order = key.compare(a, b)
      if order != 0 { return order }
    }
    return 0
  }

  /// The elements in order; equal ones keep theirs.
  ///
  /// `value` gives what the keys are read from, such as `.object(element)`.
  ///
  /// - Throws: `UnknownKey`, and what the objects throw.
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

  /// The objects in order; equal ones keep theirs.
  ///
  /// - Throws: `UnknownKey`, and what the objects throw.
  /// - Complexity: O(n log n) comparisons; every key of every object is read once.
  package func sorted<Object: KeyedObject>(_ objects: [Object]) throws -> [Object] {
    try sorted(objects) { .object($0) }
  }

  /// The indices of rows in order; equal rows keep theirs.
  package func permutation(_ rows: [[Value]]) -> [Int] {
    let columns = keys.indices.map { index in
      SortColumn(rows.map { $0[index] }, keys[index])
    }
    return Self.permutation(columns, rows.count)
  }

  /// An element: the bytes that decide most, and where it was.
  private struct Place {
    let code: UInt64
    let index: Int
  }

  private static func permutation(_ columns: [SortColumn], _ count: Int) -> [Int] {
    guard let first = columns.first else { return Array(0..<count) }
    var places = first.leadingCodes(count).enumerated().map { Place(code: $1, index: $0) }
    // Borrowed, because every comparison would count the references.
    let rest = (first.isExact ? columns.dropFirst() : columns[...]).map(Unmanaged.passUnretained)
    withExtendedLifetime(columns) {
      rest.withUnsafeBufferPointer { rest in
        places.sort { left, right in
          if left.code != right.code { return left.code < right.code }
          for column in rest {
            let order = column._withUnsafeGuaranteedRef { $0.compare(left.index, right.index) }
            if order != 0 { return order < 0 }
          }
          return left.index < right.index
        }
      }
    }
    return places.map(\.index)
  }
}
