// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A comparison of two prepared terms.
///
/// Most comparisons of a key path with a constant are represented by `KeyComparison` instead.
final class PreparedComparison: Sendable {
  private let left: TermNode
  private let right: TermNode
  private let modifier: Comparison.Modifier
  private let relation: Relation
  private let options: TextOptions
  /// The selector of a custom operator that cannot be evaluated in memory; nil if the operator can be
  /// evaluated.
  ///
  /// An empty string if the custom operator has no selector.
  private let unknownSelector: String?
  /// Whether the left side is a key path.
  ///
  /// `ANY` and `ALL` flatten nested collections in the value of a key path, but not in other values.
  private let isPath: Bool

  init(_ comparison: Comparison) {
    modifier = comparison.modifier
    isPath = if case .keyPath = comparison.left { true } else { false }
    left =
      modifier == .direct && comparison.relation == .contains
      ? TermNode(container: comparison.left) : TermNode(comparison.left)
    right =
      comparison.relation == .in
      ? TermNode(container: comparison.right) : TermNode(comparison.right)
    guard comparison.relation == .customSelector else {
      relation = comparison.relation
      options = comparison.options
      unknownSelector = nil
      return
    }
    let selector = comparison.selector ?? ""
    let known = Self.relation(selector)
    relation = known ?? .customSelector
    options = []
    unknownSelector = known == nil ? selector : nil
  }

  private static func relation(_ selector: String) -> Relation? {
    switch selector {
    case "isEqual:", "isEqualToString:", "isEqualToNumber:", "isEqualToDate:": .equal
    case "hasPrefix:": .beginsWith
    case "hasSuffix:": .endsWith
    case "containsString:", "containsObject:": .contains
    default: nil
    }
  }

  func holds(_ object: Value, _ variables: inout [String: Value]) throws -> Bool {
    let left = try self.left.value(of: object, &variables)
    let right = try self.right.value(of: object, &variables)
    let wantsAll: Bool
    switch modifier {
    case .direct:
      guard case .anyKey = self.left, case .collection(let values) = left else {
        return try isRelated(left, right)
      }
      // `ANYKEY` skips a value that cannot be compared with the right side, instead of throwing an error.
      return values.members.contains { (try? isRelated($0, right)) ?? false }
    case .all: wantsAll = true
    case .any: wantsAll = false
    }
    switch left {
    case .null: return wantsAll
    case .collection(let collection):
      let members = isPath ? Statistics.flattened(collection.members) : collection.members
      for member in members where try isRelated(member, right) != wantsAll { return !wantsAll }
      return wantsAll
    default:
      throw EvaluationError(
        .invalidArgument,
        "The left hand side for an ALL or ANY operator must be either an NSArray or an NSSet."
      )
    }
  }

  private func isRelated(_ left: Value, _ right: Value) throws -> Bool {
    if let unknownSelector {
      throw EvaluationError(
        .unsupported,
        unknownSelector.isEmpty
          ? "A custom operator without a selector can't be evaluated"
          : "The operator \(unknownSelector) can't be evaluated in memory. Use another operator, or a block "
            + "predicate"
      )
    }
    return try relation.holds(left, right, options: options)
  }
}
