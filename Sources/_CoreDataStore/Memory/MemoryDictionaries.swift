// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// The computation of dictionary results from objects in memory.
package struct MemoryDictionaries {
  private let shape: DictionaryShape
  private let order: [SortKey]
  /// The prepared terms of the columns; nil for a column whose term contains an aggregate.
  private let columns: [PreparedTerm?]

  package init(shape: DictionaryShape, order: [SortKey]) {
    self.shape = shape
    self.order = order
    columns = shape.columns.map { shape.holdsAggregate($0.term) ? nil : PreparedTerm($0.term) }
  }

  /// Returns the values of each result row, in the order of the columns.
  ///
  /// `objects` must already be sorted by the sort keys that are not columns.
  /// - Throws: `.invalidRequest` for a sum or an average of values that are neither numbers nor dates; errors
  ///   of the evaluation.
  package func rows(_ objects: [any KeyedObject]) throws -> [[Value]] {
    let isGrouped = !shape.groupBy.isEmpty || shape.hasAggregates
    let groups = isGrouped ? try grouped(objects) : objects.map { [$0] }
    var rows: [[Value]] = []
    for group in groups {
      let row = try zip(shape.columns, columns).map { column, prepared in
        let found = try prepared.map { try value($0, group) } ?? value(column.term, group)
        return try coerced(found, column.type)
      }
      if let having = shape.having, try !holds(having, group, row) { continue }
      rows.append(row)
    }
    if shape.isDistinct { rows = distinct(rows) }
    return sorted(rows)
  }

  private func grouped(_ objects: [any KeyedObject]) throws -> [[any KeyedObject]] {
    if shape.groupBy.isEmpty { return [objects] }
    let terms = shape.groupBy.map(PreparedTerm.init)
    var positions: [[Constant]: Int] = [:]
    var groups: [[any KeyedObject]] = []
    for object in objects {
      let key = try terms.map { Constant(Self.plain(try $0.value(for: .object(object)))) }
      if let position = positions[key] {
        groups[position].append(object)
      } else {
        positions[key] = groups.count
        groups.append([object])
      }
    }
    return groups
  }

  /// Returns the term's value for a group.
  ///
  /// The aggregates in the term are computed from all objects of the group. The other parts of the term are
  /// evaluated with the first object.
  private func value(_ term: Term, _ group: [any KeyedObject]) throws -> Value {
    if let (function, argument) = shape.aggregate(term) {
      return try aggregate(function, argument, group)
    }
    return try value(PreparedTerm(try replacingAggregates(in: term, of: group, row: nil)), group)
  }

  private func value(_ term: PreparedTerm, _ group: [any KeyedObject]) throws -> Value {
    Self.plain(try term.value(for: group.first.map { .object($0) } ?? .null))
  }

  private func aggregate(
    _ function: AggregateFunction,
    _ term: Term,
    _ group: [any KeyedObject]
  ) throws -> Value {
    let argument = PreparedTerm(term)
    var values: [Value] = []
    for object in group {
      let value = try operand(of: function, term, Self.plain(argument.value(for: .object(object))))
      if case .collection(let collection) = value {
        values += collection.members.filter { !$0.isNull }
      } else if !value.isNull {
        values.append(value)
      }
    }
    if values.isEmpty { return function == .count ? .int(0) : .null }
    return try function.value(of: .collection(ValueCollection(.array, values)))
  }

  /// Returns the operand of an aggregate function for a value: for a sum or an average of dates, the seconds
  /// since 2001; otherwise the value itself.
  ///
  /// - Throws: `.invalidRequest` if the function is a sum or an average and the value is a string, a UUID, a
  ///   URL, data or an object ID.
  private func operand(
    of function: AggregateFunction,
    _ term: Term,
    _ value: Value
  ) throws -> Value {
    switch function {
    case .count, .minimum, .maximum, .median, .mode, .standardDeviation: return value
    case .sum, .average: break
    }
    switch value {
    case .date(let seconds): return .double(seconds)
    case .text, .uuid, .url, .data, .key:
      throw StoreError(
        .invalidRequest,
        "\(Function.aggregate(function).spelling) needs numbers or dates, but a value of "
          + "\(term.format) is \(value.kindName)"
      )
    default: return value
    }
  }

  /// Returns whether a HAVING condition is true for a group.
  ///
  /// A key path refers to the column of that name or, if there is no such column, to a property of the first
  /// object in the group.
  private func holds(
    _ condition: Condition,
    _ group: [any KeyedObject],
    _ row: [Value]
  ) throws -> Bool {
    try replacingAggregates(in: condition, of: group, row: row)
      .evaluate(with: group.first.map { .object($0) } ?? .null)
  }

  private func replacingAggregates(
    in condition: Condition,
    of group: [any KeyedObject],
    row: [Value]
  ) throws -> Condition {
    func replaced(_ part: Condition) throws -> Condition {
      try replacingAggregates(in: part, of: group, row: row)
    }
    switch condition {
    case .and(let parts): return .and(try parts.map(replaced))
    case .or(let parts): return .or(try parts.map(replaced))
    case .not(let part): return .not(try replaced(part))
    case .comparison(var comparison):
      comparison.left = try replacingAggregates(in: comparison.left, of: group, row: row)
      comparison.right = try replacingAggregates(in: comparison.right, of: group, row: row)
      return .comparison(comparison)
    case .constant, .opaque: return condition
    }
  }

  /// Returns the term with each aggregate replaced by its value.
  ///
  /// If `row` is not nil, each column name is also replaced by the column's value in `row`.
  private func replacingAggregates(
    in term: Term,
    of group: [any KeyedObject],
    row: [Value]?
  ) throws -> Term {
    func replaced(_ part: Term) throws -> Term {
      try replacingAggregates(in: part, of: group, row: row)
    }
    switch term {
    case .keyPath(let name), .variable(let name):
      guard let row, let column = shape.columns.firstIndex(where: { $0.name == name }) else {
        return term
      }
      return .constant(Constant(row[column]))
    case _ where shape.aggregate(term) != nil:
      return .constant(Constant(try value(term, group)))
    case .function(let function, let arguments):
      return .function(function, try arguments.map(replaced))
    case .message(let selector, let receiver, let arguments):
      return .message(selector, to: receiver, try arguments.map(replaced))
    case .ternary(let condition, let yes, let no):
      let test = try row.map { try replacingAggregates(in: condition, of: group, row: $0) }
      return .ternary(test ?? condition, try replaced(yes), try replaced(no))
    default: return term
    }
  }

  private func distinct(_ rows: [[Value]]) -> [[Value]] {
    var seen: Set<[Constant]> = []
    return rows.filter { seen.insert($0.map(Constant.init)).inserted }
  }

  /// Sorts the rows by the sort keys that are columns; the objects are already sorted by the other keys.
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

  /// Returns the key of an object, or null if the object has no key; returns any other value unchanged.
  private static func plain(_ value: Value) -> Value {
    if case .object(let object) = value { return object.objectKey.map(Value.key) ?? .null }
    return value
  }

  /// Returns the value converted to the column's type.
  ///
  /// Returns the value unchanged if the column has no type, or if the value cannot be converted.
  private func coerced(_ value: Value, _ type: AttributeType?) throws -> Value {
    guard let type, type != .undefined else { return value }
    switch (SlotKind(type), value) {
    case (.date, .double(let seconds)): return .date(seconds)
    case (.date, .int(let seconds)): return .date(Double(seconds))
    default: break
    }
    let (chunk, row) = RowChunk.single(RowLayout(kinds: [SlotKind(type)]))
    return chunk.setValue(row, 0, value) ? chunk.value(row, 0) : value
  }
}
