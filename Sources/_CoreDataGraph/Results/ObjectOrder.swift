// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Orders the objects of one entity and its subentities by sort keys.
///
/// If a key path names an attribute whose values are numbers, dates or strings, and the comparison is the
/// standard one, the values are compared in the row, without boxing them or creating strings. Otherwise the
/// sort key compares boxed values. Objects that are equal by every key are ordered by store and primary key,
/// and new objects come last.
package struct ObjectOrder {
  /// A sort key in the form in which objects are compared.
  ///
  /// A level contains only numbers, because a reference would be retained at every comparison.
  struct Level {
    enum Kind { case integer, double, text, value }
    let kind: Kind
    /// The slot, or the index into `keys` for a level that is compared by value.
    let slotOrIndex: Int
    let sign: Int
  }
  let levels: ContiguousArray<Level>
  /// The number of levels before the first level that is compared by value.
  let leading: Int
  let keys: [SortKey]
  let realize: (GraphObject) -> Void
  private let value: (GraphObject, _ keyPath: String) -> Value

  /// Creates an order from `keys`.
  ///
  /// `realize` loads the row of an object that has none; `value` returns the value at a key path of an
  /// object.
  package init(
    _ keys: [SortKey],
    entity: EntityDefinition,
    realize: @escaping (GraphObject) -> Void,
    value: @escaping (GraphObject, _ keyPath: String) -> Value
  ) {
    self.keys = keys
    self.realize = realize
    self.value = value
    let levels = ContiguousArray(
      keys.enumerated().map { index, key in
        if let (kind, slot) = Self.slot(key, entity) {
          return Level(kind: kind, slotOrIndex: slot, sign: key.ascending ? 1 : -1)
        }
        // A comparison by value already applies the direction of the key, so the sign is 1.
        return Level(kind: .value, slotOrIndex: index, sign: 1)
      }
    )
    leading = levels.firstIndex { $0.kind == .value } ?? levels.count
    self.levels = levels
  }

  /// Returns the kind and slot of a level; nil if the key is compared by value.
  private static func slot(
    _ key: SortKey,
    _ entity: EntityDefinition
  ) -> (kind: Level.Kind, slot: Int)? {
    guard key.comparison == .standard, let property = entity.property(named: key.keyPath),
      property.attribute != nil
    else { return nil }
    return switch entity.rowLayout.kinds[property.slot] {
    case .integer, .boolean: (.integer, property.slot)
    case .double, .date: (.double, property.slot)
    case .text: (.text, property.slot)
    default: nil
    }
  }

  /// Returns a negative number if `left` sorts before `right`, a positive number if it sorts after `right`,
  /// and 0 if both are the same object.
  ///
  /// Loads the row of an object that has none.
  package func compare(_ left: GraphObject, _ right: GraphObject) -> Int {
    var order = compare(0..<leading, left, right)
    var next = leading
    while order == 0, next < levels.count {
      let level = levels[next]
      if level.kind == .value {
        let key = keys[level.slotOrIndex]
        order = key.compare(value(left, key.keyPath), value(right, key.keyPath))
      } else {
        order = compare(next..<next + 1, left, right)
      }
      next += 1
    }
    return order != 0 ? order : Self.compareKeys(left.key, right.key)
  }

  /// Compares by the levels in `range`, which must not include a level that is compared by value.
  private func compare(
    _ range: Range<Int>,
    _ left: GraphObject,
    _ right: GraphObject
  ) -> Int {
    if range.isEmpty { return 0 }
    if left.chunk == nil { realize(left) }
    if right.chunk == nil { realize(right) }
    guard let a = left.chunk, let b = right.chunk else { return 0 }
    for index in range {
      let level = levels[index]
      let order = Self.compare(a, row: left.rowIndex, to: b, row: right.rowIndex, by: level)
      if order != 0 { return order * level.sign }
    }
    return 0
  }

  private static func compare(
    _ a: RowChunk,
    row i: Int,
    to b: RowChunk,
    row j: Int,
    by level: Level
  ) -> Int {
    let slot = level.slotOrIndex
    switch level.kind {
    case .value: return 0
    case .integer:
      if let order = nulls(a.isNull(i, slot), b.isNull(j, slot)) { return order }
      return order(a.integer(i, slot), b.integer(j, slot))
    case .double:
      if let order = nulls(a.isNull(i, slot), b.isNull(j, slot)) { return order }
      return order(a.double(i, slot), b.double(j, slot))
    case .text:
      if let order = nulls(a.isNull(i, slot), b.isNull(j, slot)) { return order }
      return TextSearch.compare(
        a.bytes(i, slot).assumingMemoryBound(to: UInt8.self),
        b.bytes(j, slot).assumingMemoryBound(to: UInt8.self)
      )
    }
  }

  /// Returns the order of two values if at least one is null; nil if neither is null.
  ///
  /// `left` and `right` state whether the values are null. Null sorts before all other values.
  private static func nulls(_ left: Bool, _ right: Bool) -> Int? {
    left ? (right ? 0 : -1) : right ? 1 : nil
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func compareKeys(_ left: ObjectKey, _ right: ObjectKey) -> Int {
    if left.isTemporary != right.isTemporary { return left.isTemporary ? 1 : -1 }
    if left.store != right.store { return left.store - right.store }
    return order(left.number, right.number)
  }
}
