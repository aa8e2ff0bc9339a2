// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// Makes dictionary results of objects: groups, aggregates, having, distinct.
package struct MemoryDictionaries {
  private let shape: DictionaryShape
  private let order: [SortKey]

  package init(shape: DictionaryShape, order: [SortKey]) {
    self.shape = shape
    self.order = order
  }

  /// One array for each result, in the order of the columns.
  ///
  /// `objects` are sorted by those keys of the order that name no column.
  /// - Throws: `.invalidRequest` where a sum has to be made of what is no number; what evaluating throws.
  package func rows(_ objects: [any KeyedObject]) throws -> [[Value]] {
    let isGrouped = !shape.groupBy.isEmpty || shape.hasAggregates
    let groups = isGrouped ? try grouped(objects) : objects.map { [$0] }
    var rows: [[Value]] = []
    for group in groups {
      let row = try shape.columns.map { column in
        try coerced(try value(column.term, group), column.type)
      }
      if let having = shape.having, try !holds(having, group, row) { continue }
      rows.append(row)
    }
    if shape.isDistinct { rows = distinct(rows) }
    return sorted(rows)
  }

  private func grouped(_ objects: [any KeyedObject]) throws -> [[any KeyedObject]] {
    if shape.groupBy.isEmpty { return [objects] }
    var positions: [[Constant]: Int] = [:]
    var groups: [[any KeyedObject]] = []
    for object in objects {
      let key = try shape.groupBy.map {
        Constant(Self.plain(try $0.evaluate(with: .object(object))))
      }
      if let position = positions[key] {
        groups[position].append(object)
      } else {
        positions[key] = groups.count
        groups.append([object])
      }
    }
    return groups
  }

  /// The term's value for a group: aggregates over all of it, the rest from its first row.
  private func value(_ term: Term, _ group: [any KeyedObject]) throws -> Value {
    if let (function, argument) = shape.aggregate(term) {
      return try aggregate(function, argument, group)
    }
    let settled = try settled(term, group, row: nil)
    return Self.plain(try settled.evaluate(with: group.first.map { .object($0) } ?? .null))
  }

  private func aggregate(
    _ function: AggregateFunction,
    _ argument: Term,
    _ group: [any KeyedObject]
  ) throws -> Value {
    var values: [Value] = []
    for object in group {
      let value = try operand(of: function, Self.plain(argument.evaluate(with: .object(object))))
      if case .collection(let collection) = value {
        values += collection.members.filter { !$0.isNull }
      } else if !value.isNull {
        values.append(value)
      }
    }
    if values.isEmpty { return function == .count ? .int(0) : .null }
    return try function.value(of: .collection(ValueCollection(.array, values)))
  }

  /// The value as the aggregate reads it: sums and means count dates as seconds.
  ///
  /// - Throws: `.invalidRequest` for a sum or a mean of values that are not numbers.
  private func operand(of function: AggregateFunction, _ value: Value) throws -> Value {
    switch function {
    case .count, .minimum, .maximum, .median, .mode, .standardDeviation: return value
    case .sum, .average: break
    }
    switch value {
    case .date(let seconds): return .double(seconds)
    case .text, .uuid, .url, .data, .key:
      throw StoreError(.invalidRequest, "\(function.rawValue) of values that are not numbers")
    default: return value
    }
  }

  /// `having` sees the columns by name, then the group's rows.
  private func holds(
    _ condition: Condition,
    _ group: [any KeyedObject],
    _ row: [Value]
  ) throws -> Bool {
    try settled(condition, group, row).evaluate(with: group.first.map { .object($0) } ?? .null)
  }

  private func settled(
    _ condition: Condition,
    _ group: [any KeyedObject],
    _ row: [Value]
  ) throws -> Condition {
    switch condition {
    case .and(let parts): return .and(try parts.map { try settled($0, group, row) })
    case .or(let parts): return .or(try parts.map { try settled($0, group, row) })
    case .not(let part): return .not(try settled(part, group, row))
    case .comparison(var comparison):
      comparison.left = try settled(comparison.left, group, row: row)
      comparison.right = try settled(comparison.right, group, row: row)
      return .comparison(comparison)
    default: return condition
    }
  }

  /// The term with its aggregates' values, and those of the columns that `row` has.
  private func settled(_ term: Term, _ group: [any KeyedObject], row: [Value]?) throws -> Term {
    switch term {
    case .keyPath(let name), .variable(let name):
      guard let row, let column = shape.columns.firstIndex(where: { $0.name == name }) else {
        return term
      }
      return .constant(Constant(row[column]))
    case _ where shape.aggregate(term) != nil:
      return .constant(Constant(try value(term, group)))
    case .function(let function, let arguments):
      return .function(function, try arguments.map { try settled($0, group, row: row) })
    case .message(let selector, let receiver, let arguments):
      return .message(
        selector,
        to: receiver,
        try arguments.map { try settled($0, group, row: row) }
      )
    case .ternary(let condition, let yes, let no):
      return .ternary(
        row == nil ? condition : try settled(condition, group, row ?? []),
        try settled(yes, group, row: row),
        try settled(no, group, row: row)
      )
    default: return term
    }
  }

  private func distinct(_ rows: [[Value]]) -> [[Value]] {
    var seen: Set<[Constant]> = []
    return rows.filter { seen.insert($0.map(Constant.init)).inserted }
  }

  /// By the keys that name columns; the others have sorted the objects before.
  private func sorted(_ rows: [[Value]]) -> [[Value]] {
    let names = Dictionary(
      shape.columns.enumerated().map { ($1.name, $0) },
      uniquingKeysWith: { first, _ in first }
    )
    let keys = order.filter { names[$0.keyPath] != nil }
    if keys.isEmpty { return rows }
    let values = rows.map { row in keys.compactMap { names[$0.keyPath].map { row[$0] } } }
    return SortOrder(keys).permutation(values).map { rows[$0] }
  }

  /// Objects as their keys.
  private static func plain(_ value: Value) -> Value {
    if case .object(let object) = value { return object.objectKey.map(Value.key) ?? .null }
    return value
  }

  /// The value in the column's type, where one is named and the value fits.
  private func coerced(_ value: Value, _ type: AttributeType?) throws -> Value {
    guard let type, type != .undefined else { return value }
    switch (SlotKind(type), value) {
    case (.date, .double(let seconds)): return .date(seconds)
    case (.date, .int(let seconds)): return .date(Double(seconds))
    default: break
    }
    let chunk = RowChunk(layout: RowLayout(kinds: [SlotKind(type)]), capacity: 1)
    let row = chunk.appendRow()
    return chunk.setValue(row, 0, value) ? chunk.value(row, 0) : value
  }
}
