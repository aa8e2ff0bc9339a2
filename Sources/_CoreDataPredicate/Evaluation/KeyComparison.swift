// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// The comparison of a key path with a constant in a `PreparedCondition`.
///
/// This type is a class, so that evaluation does not copy the properties.
final class KeyComparison: Sendable {
  private enum Kind: Sendable {
    case text, number, null, member
  }
  private let kind: Kind
  private let reader: KeyReader
  private let relation: Relation
  private let options: TextOptions
  private let constant: Value
  private let needle: TextNeedle?
  private let members: MemberSet?
  private let number: Double
  /// The constant as an `Int64`, for exact comparison with integers.
  ///
  /// Nil if the constant is not a whole number in the range of `Int64`.
  private let whole: Int64?

  /// Prepares a comparison; nil if the comparison must be evaluated by a `PreparedComparison`.
  init?(_ comparison: Comparison) {
    guard comparison.modifier == .direct, case .keyPath(let path) = comparison.left,
      let constant = comparison.right.constantValue
    else { return nil }
    var needle: TextNeedle?
    var members: MemberSet?
    switch (comparison.relation, constant) {
    case (.between, _), (.customSelector, _): return nil
    case (_, .text(let text)):
      kind = .text
      needle = TextNeedle(text, relation: comparison.relation, options: comparison.options)
      if needle?.invalidPattern != nil { return nil }
    case (.equal, .null), (.notEqual, .null): kind = .null
    case (.equal, _), (.notEqual, _), (.lessThan, _), (.lessThanOrEqual, _), (.greaterThan, _),
      (.greaterThanOrEqual, _):
      // A `Double` cannot represent every decimal and every large integer exactly, so `PreparedComparison`
      // compares them.
      guard let size = constant.number else { return nil }
      if case .decimal = constant { return nil }
      if case .int(let whole) = constant, Int64(exactly: size) != whole { return nil }
      kind = .number
    case (.in, .collection(let collection)) where comparison.options.isEmpty:
      members = MemberSet(collection.members)
      if members == nil { return nil }
      kind = .member
    default: return nil
    }
    reader = KeyReader(path)
    relation = comparison.relation
    options = comparison.options
    self.constant = constant
    self.needle = needle
    self.members = members
    let size = constant.number ?? 0
    number = size
    whole = constant.truncated.flatMap { Double($0) == size ? $0 : nil }
  }

  func holds(_ object: Value) throws -> Bool {
    guard let location = reader.location(in: object) else {
      return try holds(value: reader.value(of: object))
    }
    return try location.chunk._withUnsafeGuaranteedRef { chunk in
      if chunk.isNull(location.row, location.slot) { return try holds(value: .null) }
      switch (kind, location.kind) {
      case (.text, .text):
        return
          try needle?.matches(chunk.bytes(location.row, location.slot).bindMemory(to: UInt8.self))
          ?? false
      case (.number, .integer): return isRelated(chunk.integer(location.row, location.slot))
      case (.number, .double): return isRelated(chunk.double(location.row, location.slot), number)
      case (.null, _): return relation == .notEqual
      case (.member, .text):
        return members?.contains(
          chunk.bytes(location.row, location.slot).bindMemory(to: UInt8.self)
        )
          ?? false
      default: return try holds(value: chunk.value(location.row, location.slot))
      }
    }
  }

  private func holds(value: Value) throws -> Bool {
    switch kind {
    case .text:
      if case .text(let text) = value { return try needle?.matches(text) ?? false }
      return try relate(value)
    case .number:
      switch value {
      case .int(let left): return isRelated(left)
      case .double(let left): return isRelated(left, number)
      default: return try relate(value)
      }
    case .null: return value.isNull == (relation == .equal)
    case .member: return members?.contains(value) ?? false
    }
  }

  @inline(__always)
  private func isRelated(_ left: Int64) -> Bool {
    guard let whole else { return isRelated(Double(left), number) }
    return isRelated(left, whole)
  }

  private func relate(_ value: Value) throws -> Bool {
    try relation.holds(value, constant, options: options)
  }

  @inline(__always)
  private func isRelated<Number: Comparable>(_ left: Number, _ right: Number) -> Bool {
    switch relation {
    case .equal: left == right
    case .notEqual: left != right
    case .lessThan: left < right
    case .lessThanOrEqual: left <= right
    case .greaterThan: left > right
    default: left >= right
    }
  }
}
