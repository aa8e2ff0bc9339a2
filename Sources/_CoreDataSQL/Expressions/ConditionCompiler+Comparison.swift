// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

extension ConditionCompiler {
  func comparison(_ comparison: Comparison, in scope: Scope) throws -> SQL {
    var comparison = comparison
    comparison.options = comparison.options.effective(for: comparison.relation)
    let left = try operand(comparison.left, in: scope)
    if let piece = isOneOfObjects(left, comparison) { return piece }
    let right = try operand(comparison.right, in: scope)
    if comparison.modifier != .direct {
      return try quantified(comparison, left, right, in: scope)
    }
    let options = comparison.options
    if let piece = try flattenedMembership(comparison, left, right, in: scope) { return piece }
    if case .members(let source) = left {
      switch (comparison.relation, right) {
      case (.contains, _): return try membership(of: right, in: source, options, scope)
      case (.equal, .list), (.notEqual, .list), (.equal, .members), (.notEqual, .members),
        (.in, _), (.customSelector, _):
        throw unsupported("a comparison of the whole collection \(source.path.keyPath)")
      default: throw toMany(source.path)
      }
    }
    if case .members(let source) = right {
      switch comparison.relation {
      case .in: return try membership(of: left, in: source, options, scope)
      case .between, .contains, .customSelector:
        throw unsupported("a comparison of the whole collection \(source.path.keyPath)")
      case .equal, .notEqual:
        if case .list = left {
          throw unsupported("a comparison of the whole collection \(source.path.keyPath)")
        }
      default: break
      }
      throw toMany(source.path)
    }
    return try direct(left, comparison.relation, right, options: options)
  }

  /// Compiles `x IN {constant, to-many.key}` and `{constant, to-many.key} CONTAINS x`.
  ///
  /// A to-many key path in the list stands for all of its values. Returns nil for any other comparison, and
  /// for a list without a to-many key path.
  private func flattenedMembership(
    _ comparison: Comparison,
    _ left: Operand,
    _ right: Operand,
    in scope: Scope
  ) throws -> SQL? {
    let (element, items): (Operand, [Operand])
    switch (comparison.relation, left, right) {
    case (.in, _, .list(let members)): (element, items) = (left, members)
    case (.contains, .list(let members), _): (element, items) = (right, members)
    default: return nil
    }
    var sources: [MemberSource] = []
    var others: [Operand] = []
    for item in items {
      if case .members(let source) = item { sources.append(source) } else { others.append(item) }
    }
    if sources.isEmpty { return nil }
    switch element {
    case .members, .list: throw unsupported("a collection as a member of a collection")
    default: break
    }
    let isOne = Comparison(
      .evaluatedObject,
      .equal,
      .evaluatedObject,
      modifier: .any,
      options: comparison.options
    )
    var pieces = try sources.map { source in
      let piece = try members(source, isOne, right: element, in: scope)
      guard source.path.ownerIsOptional, source.chosen == nil else { return piece }
      // If a to-one before the to-many is nil, the value of the key path in memory is nil, so the list
      // contains nil.
      return "(\(piece) OR (\(primaryKey(source.path.ownerAlias)) IS NULL AND \(absent(element))))"
    }
    if !others.isEmpty {
      pieces.insert(try direct(element, .in, .list(others), options: comparison.options), at: 0)
    }
    return SQL.joined(pieces, with: " OR ")
  }

  /// Returns the condition that the operand is nil in a row; a list or to-many is never nil.
  private func absent(_ operand: Operand) -> SQL {
    switch operand {
    case .column(let piece, let type): type.absent(piece)
    case .constant(let value): value.isNull ? always : never
    case .list, .members: never
    }
  }

  private func quantified(
    _ comparison: Comparison,
    _ left: Operand,
    _ right: Operand,
    in scope: Scope
  ) throws -> SQL {
    if case .members(let source) = right {
      guard comparison.relation == .in, case .column = left else {
        throw unsupported("ANY or ALL with the collection \(source.path.keyPath) on the right side")
      }
    }
    let isAny = comparison.modifier == .any
    switch left {
    case .members(let source):
      // Only plain key paths flatten collections of collections.
      let isKeyPath = if case .keyPath = comparison.left { true } else { false }
      if try !isKeyPath && isNested(source) {
        throw unsupported("ANY or ALL of \(source.path.keyPath), a collection of collections")
      }
      return try members(source, comparison, right: right, in: scope)
    case .list(let items):
      let pieces = try items.map {
        try direct($0, comparison.relation, right, options: comparison.options)
      }
      return SQL.joined(pieces, with: isAny ? " OR " : " AND ") ?? (isAny ? never : always)
    case .constant(.null): return isAny ? never : always
    case .constant(let value):
      throw unsupported("ANY or ALL of \(value.kindName), which is not a collection")
    case .column(let piece, let type):
      // As in Apple's store, ANY or ALL of a single value compares the value itself.
      var plain = comparison
      plain.modifier = .direct
      let absent = type.absent(piece)
      let condition = try self.comparison(plain, in: scope)
      return isAny ? "(\(SQL.not(absent)) AND \(condition))" : "(\(absent) OR \(condition))"
    }
  }

  /// Compiles a comparison without to-many operands.
  func direct(
    _ left: Operand,
    _ relation: Relation,
    _ right: Operand,
    options: TextOptions
  ) throws -> SQL {
    if case .constant(let one) = left, case .constant(let other) = right {
      return try folded(one, relation, other, options: options)
    }
    switch relation {
    case .equal: return try equal(left, right, options)
    case .notEqual:
      if options.isEmpty, let piece = try plainNotEqual(left, right) { return piece }
      return SQL.not(try contrary { try equal(left, right, options) })
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return try ordered(left, relation, right, options: options)
    case .between:
      guard case .list(let bounds) = right, bounds.count == 2 else {
        throw unsupported("BETWEEN with a right side that is not a list of two bounds")
      }
      let low = try direct(left, .greaterThanOrEqual, bounds[0], options: options)
      let high = try direct(left, .lessThanOrEqual, bounds[1], options: options)
      return "(\(low) AND \(high))"
    case .in:
      if case .list(let items) = right { return try isMember(left, of: items, options) }
      return try text(right, .contains, left, options: options)
    case .contains:
      if case .list(let items) = left { return try isMember(right, of: items, options) }
      return try text(left, .contains, right, options: options)
    case .beginsWith, .endsWith, .like, .matches:
      return try text(left, relation, right, options: options)
    case .customSelector: throw unsupported("a comparison with a custom selector")
    }
  }

  private func folded(
    _ left: Value,
    _ relation: Relation,
    _ right: Value,
    options: TextOptions
  ) throws -> SQL {
    // If the relation throws an error, the condition is evaluated in memory, where the same error is thrown.
    do {
      return try relation.holds(left, right, options: options) ? always : never
    } catch {
      throw unsupported("a comparison of constants that fails: \(error)")
    }
  }

  // MARK: Equality

  private func equal(_ left: Operand, _ right: Operand, _ options: TextOptions) throws -> SQL {
    switch (left, right) {
    case (.column(let piece, let type), .constant(let value)),
      (.constant(let value), .column(let piece, let type)):
      if value.isNull { return type.absent(piece) }
      if !options.isEmpty, type == .text {
        guard case .text(let text) = value else { return never }
        return try asked { () throws(Unsayable) in
          try dialect.text(
            piece,
            .equal,
            SQL(bind: .text(text)),
            needle: text,
            options: options,
            bound: bound
          )
        }
      }
      guard let stored = try stored(value, type) else { return never }
      return try asked { () throws(Unsayable) in
        try dialect.equal(TypedPiece(piece, type), stored) ?? never
      }
    case (.column(let one, let type), .column(let other, let otherType)):
      let absent: SQL = "(\(type.absent(one)) AND \(otherType.absent(other)))"
      if !type.equals(otherType) { return absent }
      if type == .sealed || otherType == .sealed {
        throw unsupported("a comparison of \(type.kindName) with \(otherType.kindName)")
      }
      if !options.isEmpty, type == .text {
        let piece = try asked { () throws(Unsayable) in
          try dialect.text(one, .equal, other, needle: nil, options: options, bound: bound)
        }
        return "(\(piece) OR \(absent))"
      }
      return try asked { () throws(Unsayable) in
        try dialect.same(TypedPiece(one, type), TypedPiece(other, otherType))
      }
    case (.constant(let one), .constant(let other)):
      return try folded(one, .equal, other, options: options)
    case (.members(let source), _), (_, .members(let source)): throw toMany(source.path)
    case (.list, _), (_, .list):
      throw unsupported("a comparison of \(left.kindName) with \(right.kindName)")
    }
  }

  private func plainNotEqual(_ left: Operand, _ right: Operand) throws -> SQL? {
    switch (left, right) {
    case (.column(let piece, let type), .constant(let value)),
      (.constant(let value), .column(let piece, let type)):
      if value.isNull { return type.isPlain ? "\(piece) IS NOT NULL" : nil }
      guard let stored = try stored(value, type) else { return always }
      return try asked { () throws(Unsayable) in
        try dialect.differs(TypedPiece(piece, type), stored) ?? always
      }
    case (.column(let one, let type), .column(let other, let otherType)):
      if type == .sealed || otherType == .sealed || !type.equals(otherType) { return nil }
      return try asked { () throws(Unsayable) in
        try dialect.differ(TypedPiece(one, type), TypedPiece(other, otherType))
      }
    default: return nil
    }
  }

  // MARK: Order

  private func ordered(
    _ left: Operand,
    _ relation: Relation,
    _ right: Operand,
    options: TextOptions
  ) throws -> SQL {
    let includesEqual = relation == .lessThanOrEqual || relation == .greaterThanOrEqual
    switch (left, right) {
    case (.constant(let value), .column(_, let type)):
      if value.isNull { return includesEqual ? try equal(right, left, []) : never }
      // The text function depends on the order of its arguments, so the two sides are not exchanged.
      if type == .text, !options.isEmpty { break }
      return try ordered(right, relation.mirrored, left, options: options)
    case (.column(let piece, let type), .constant(let value)):
      if value.isNull { return includesEqual ? type.absent(piece) : never }
      guard let piece = try compare(TypedPiece(piece, type), relation, value, options: options)
      else {
        throw unordered(left, relation, right)
      }
      return piece
    case (.column(let one, let type), .column(let other, let otherType)):
      if !type.isOrdered(with: otherType) {
        throw unordered(left, relation, right)
      }
      let piece = try asked { () throws(Unsayable) in
        if !options.isEmpty, type == .text {
          return try dialect.text(one, relation, other, needle: nil, options: options, bound: bound)
        }
        return try dialect.ordered(TypedPiece(one, type), relation, TypedPiece(other, otherType))
      }
      let absent: SQL = "(\(type.absent(one)) AND \(otherType.absent(other)))"
      return includesEqual ? "(\(piece) OR \(absent))" : piece
    case (.members(let source), _), (_, .members(let source)): throw toMany(source.path)
    default: break
    }
    if case .constant(let value) = left, case .column(let piece, .text) = right,
      case .text(let text) = value
    {
      return try asked { () throws(Unsayable) in
        try dialect.text(
          SQL(bind: .text(text)),
          relation,
          piece,
          needle: nil,
          options: options,
          bound: bound
        )
      }
    }
    throw unordered(left, relation, right)
  }

  private func unordered(_ left: Operand, _ relation: Relation, _ right: Operand) -> StoreError {
    unsupported("\(relation.spelling) between \(left.kindName) and \(right.kindName)")
  }

  /// Returns the comparison of a column with a constant; nil if the two have no order.
  private func compare(
    _ column: TypedPiece,
    _ relation: Relation,
    _ value: Value,
    options: TextOptions
  ) throws -> SQL? {
    if case .reference = column.type { return nil }
    if column.type == .entity { return nil }
    guard let stored = try stored(value, column.type) else { return nil }
    return try asked { () throws(Unsayable) in
      if !options.isEmpty, column.type == .text {
        guard case .text(let text) = stored else { return nil }
        return try dialect.text(
          column.piece,
          relation,
          SQL(bind: .text(text)),
          needle: text,
          options: options,
          bound: bound
        )
      }
      return try dialect.ordered(column, relation, stored)
    }
  }

  // MARK: Membership

  private func isMember(
    _ left: Operand,
    of items: [Operand],
    _ options: TextOptions
  ) throws -> SQL {
    guard case .column(let piece, let type) = left else {
      return SQL.joined(try items.map { try equal(left, $0, options) }, with: " OR ") ?? never
    }
    if bound != nil, !options.isEmpty, type == .text {
      return SQL.joined(try items.map { try equal(left, $0, options) }, with: " OR ") ?? never
    }
    var pieces: [SQL] = []
    var values: [Value] = []
    for item in items {
      switch item {
      case .constant(.null): pieces.append(type.absent(piece))
      case .constant(.collection), .constant(.dictionary): continue
      case .constant(.opaque) where type != .entity: continue
      case .constant(let value):
        if let stored = try stored(value, type) { values.append(stored) }
      case .column: pieces.append(try equal(left, item, options))
      case .list, .members: throw unsupported("a collection in a collection")
      }
    }
    let isAlone = pieces.isEmpty
    let found = try asked { () throws(Unsayable) in
      try dialect.isOne(TypedPiece(piece, type), of: values, options, isAlone: isAlone)
    }
    if let found { pieces.insert(found, at: 0) }
    return SQL.joined(pieces, with: " OR ") ?? never
  }
}

extension ValueType {
  /// Whether the value is null in memory if and only if its piece is NULL.
  var isPlain: Bool {
    switch self {
    case .computed, .mixed: false
    default: true
    }
  }

  /// Returns whether values of the two types can be equal.
  fileprivate func equals(_ other: ValueType) -> Bool {
    self == other || self == .any || other == .any || isNumber && other.isNumber
  }

  /// Returns whether a value of one type can be less than a value of the other type.
  fileprivate func isOrdered(with other: ValueType) -> Bool {
    switch (self, other) {
    case (.reference, _), (_, .reference), (.sealed, _), (_, .sealed), (.entity, _), (_, .entity):
      false
    case (.date, _) where other.isNumber, (_, .date) where isNumber: true
    default: equals(other)
    }
  }
}

extension TextOptions {
  /// Returns the options that affect a comparison with `relation`.
  ///
  /// `[n]` cancels `[c]` and `[d]` and has no other effect; LIKE and MATCHES ignore `[l]`.
  func effective(for relation: Relation) -> TextOptions {
    var options = self
    if contains(.normalized) {
      options.subtract([.caseInsensitive, .diacriticInsensitive, .normalized])
    }
    if relation == .like || relation == .matches { options.remove(.localeSensitive) }
    return options
  }
}

extension Relation {
  var mirrored: Relation {
    switch self {
    case .lessThan: .greaterThan
    case .lessThanOrEqual: .greaterThanOrEqual
    case .greaterThan: .lessThan
    case .greaterThanOrEqual: .lessThanOrEqual
    default: self
    }
  }
}
