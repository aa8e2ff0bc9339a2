// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

extension Relation {
  /// Whether the relation holds between two values in memory.
  ///
  /// `==`, `<=` and `>=` hold between two nulls, and `!=` holds between null and another value. The text
  /// operators never hold for null. Source: documented (Predicate Programming Guide) and observed.
  /// - Throws: `EvaluationError` for operands that the relation does not accept.
  package func holds(_ left: Value, _ right: Value, options: TextOptions = []) throws -> Bool {
    switch self {
    case .equal: return left.isEqual(to: right, folding: TextFolding(options))
    case .notEqual: return !left.isEqual(to: right, folding: TextFolding(options))
    case .lessThan, .lessThanOrEqual, .greaterThan, .greaterThanOrEqual:
      return try isOrdered(left, right, options)
    case .beginsWith, .endsWith, .like, .matches: return try matchesText(left, right, options)
    case .contains: return try Self.contains(left, right, options)
    case .in: return try Self.contains(right, left, options)
    case .between: return try Self.isBetween(left, right, options)
    case .customSelector:
      throw EvaluationError(
        .unsupported,
        "A custom operator can't be evaluated without its selector"
      )
    }
  }

  private func isOrdered(_ left: Value, _ right: Value, _ options: TextOptions) throws -> Bool {
    if left.isNull || right.isNull {
      return left.isNull && right.isNull
        && (self == .lessThanOrEqual || self == .greaterThanOrEqual)
    }
    if case .text(let a) = left, case .text(let b) = right, !options.isEmpty {
      return try TextNeedle(b, relation: self, options: options).matches(a)
    }
    guard let order = left.order(to: right) else {
      if left.number?.isNaN == true || right.number?.isNaN == true { return false }
      throw EvaluationError(
        .invalidArgument,
        "Can't compare \(left.shown) with \(right.shown)"
      )
    }
    switch self {
    case .lessThan: return order < 0
    case .lessThanOrEqual: return order <= 0
    case .greaterThan: return order > 0
    default: return order >= 0
    }
  }

  private func matchesText(_ left: Value, _ right: Value, _ options: TextOptions) throws -> Bool {
    switch (left.readable, right.readable) {
    case (.null, _), (_, .null): return false
    case (.text(let text), .text(let needle)):
      let needle = TextNeedle(needle, relation: self, options: options)
      if let pattern = needle.invalidPattern { throw Self.invalid(pattern) }
      return try needle.matches(text)
    case (.data(let data), .data(let part)) where self == .beginsWith:
      return !part.isEmpty && data.starts(with: part)
    case (.data(let data), .data(let part)) where self == .endsWith:
      return !part.isEmpty && data.suffix(part.count) == part && data.count >= part.count
    default:
      if self == .like || self == .matches {
        throw EvaluationError(.invalidArgument, "Can't do regex matching on object \(left.shown).")
      }
      throw Self.noText(left, right)
    }
  }

  static func invalid(_ pattern: String) -> EvaluationError {
    EvaluationError(
      .invalidArgument,
      "Can't do regex matching, reason: (Can't open pattern \(pattern))"
    )
  }

  private static func noText(_ left: Value, _ right: Value) -> EvaluationError {
    EvaluationError(
      .invalidArgument,
      "Can't do a substring operation with something that isn't a string "
        + "(lhs = \(left.shown) rhs = \(right.shown))"
    )
  }

  private static func contains(
    _ container: Value,
    _ element: Value,
    _ options: TextOptions
  ) throws -> Bool {
    switch container.readable {
    case .null: return false
    case .text(let text):
      switch element.readable {
      case .null: return false
      case .text(let part):
        return try TextNeedle(part, relation: .contains, options: options).matches(text)
      default: throw noText(container, element)
      }
    case .data(let data):
      switch element {
      case .null: return false
      case .data(let part): return !part.isEmpty && data.range(of: part) != nil
      default: throw noText(container, element)
      }
    case .collection(let collection):
      let folding = TextFolding(options)
      return collection.members.contains { $0.isEqual(to: element, folding: folding) }
    case .dictionary(let dictionary):
      let folding = TextFolding(options)
      return dictionary.values.contains { $0.isEqual(to: element, folding: folding) }
    default:
      throw EvaluationError(
        .invalidArgument,
        "Can't use in/contains operator with collection \(container.shown) (not a collection)"
      )
    }
  }

  private static func isBetween(
    _ value: Value,
    _ bounds: Value,
    _ options: TextOptions
  ) throws -> Bool {
    guard case .collection(let collection) = bounds, collection.members.count == 2 else {
      throw EvaluationError(
        .invalidArgument,
        "Between operator: \(bounds.shown) is not an array with two members"
      )
    }
    return try Relation.greaterThanOrEqual.holds(value, collection.members[0], options: options)
      && Relation.lessThanOrEqual.holds(value, collection.members[1], options: options)
  }
}

extension Value {
  /// The value to which text operators apply: for a URL its absolute string, as in a store, and otherwise the
  /// value itself.
  fileprivate var readable: Value {
    if case .url(let url) = self { .text(url.absoluteString) } else { self }
  }

  /// The value as a format string would contain it, for error texts.
  var shown: String {
    var text = ""
    writeFormat(to: &text)
    return text
  }
}
