// SPDX-License-Identifier: Apache-2.0

import CoreDataModel
import CoreDataPredicate

/// The order of sort keys on objects of one entity and those below it.
///
/// Plain numbers, dates and texts are compared in their slots; nothing is boxed, and no string is
/// made. Other key paths and comparisons go by value. Objects equal under every key are in the order
/// of their store and number, new ones last: the order in which a store gives them.
package struct ObjectOrder {
  private enum Level {
    case integer(Int)
    case double(Int)
    case text(Int)
    case value(SortKey)
  }
  private let levels: [(level: Level, sign: Int)]
  private let realize: (GraphObject) -> Void
  private let value: (GraphObject, _ keyPath: String) -> Value

  /// `realize` gives an object without a row one; `value` is the value at a key path of an object.
  package init(
    _ keys: [SortKey],
    entity: EntityDefinition,
    realize: @escaping (GraphObject) -> Void,
    value: @escaping (GraphObject, _ keyPath: String) -> Value
  ) {
    self.realize = realize
    self.value = value
    levels = keys.map { key in
      let level = Self.level(key, entity)
      // A key compared by value knows its own direction.
      if case .value = level { return (level, 1) }
      return (level, key.ascending ? 1 : -1)
    }
  }

  private static func level(_ key: SortKey, _ entity: EntityDefinition) -> Level {
    guard key.comparison == .standard, let property = entity.property(named: key.keyPath),
      property.attribute != nil
    else { return .value(key) }
    return switch entity.rowLayout.kinds[property.slot] {
    case .integer, .boolean: .integer(property.slot)
    case .double, .date: .double(property.slot)
    case .text: .text(property.slot)
    default: .value(key)
    }
  }

  /// Negative, zero or positive; zero for one object and itself.
  ///
  /// - Complexity: an object without a row is realised first.
  package func compare(_ left: GraphObject, _ right: GraphObject) -> Int {
    for (level, sign) in levels {
      let order = compare(level, left, right)
      if order != 0 { return order * sign }
    }
    return Self.place(left.key, right.key)
  }

  private func compare(_ level: Level, _ left: GraphObject, _ right: GraphObject) -> Int {
    if case .value(let key) = level {
      return key.compare(value(left, key.keyPath), value(right, key.keyPath))
    }
    if left.chunk == nil { realize(left) }
    if right.chunk == nil { realize(right) }
    guard let a = left.chunk, let b = right.chunk else { return 0 }
    return Self.compare(level, a, left.rowIndex, b, right.rowIndex)
  }

  private static func compare(
    _ level: Level,
    _ a: RowChunk,
    _ i: Int,
    _ b: RowChunk,
    _ j: Int
  ) -> Int {
    switch level {
    case .value: return 0
    case .integer(let slot):
      if let order = nulls(a.isNull(i, slot), b.isNull(j, slot)) { return order }
      return order(a.integer(i, slot), b.integer(j, slot))
    case .double(let slot):
      if let order = nulls(a.isNull(i, slot), b.isNull(j, slot)) { return order }
      return order(a.double(i, slot), b.double(j, slot))
    case .text(let slot):
      if let order = nulls(a.isNull(i, slot), b.isNull(j, slot)) { return order }
      return TextSearch.compare(
        a.bytes(i, slot).assumingMemoryBound(to: UInt8.self),
        b.bytes(j, slot).assumingMemoryBound(to: UInt8.self)
      )
    }
  }

  /// Null comes before everything.
  private static func nulls(_ left: Bool, _ right: Bool) -> Int? {
    left ? (right ? 0 : -1) : right ? 1 : nil
  }

  private static func order<Number: Comparable>(_ left: Number, _ right: Number) -> Int {
    left < right ? -1 : left > right ? 1 : 0
  }

  private static func place(_ left: ObjectKey, _ right: ObjectKey) -> Int {
    if left.isTemporary != right.isTemporary { return left.isTemporary ? 1 : -1 }
    if left.store != right.store { return left.store - right.store }
    return order(left.number, right.number)
  }
}
