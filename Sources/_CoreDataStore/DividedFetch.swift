// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// A fetch in two parts: what the store answers, and what its caller does with the objects.
///
/// The store's part has all rows that the caller's part may choose from; limit and offset stand in
/// `stored` only where nothing is left to do.
package struct DividedFetch: Sendable {
  package var stored: FetchDescription
  /// What must hold besides; nil where the store says it all.
  package var rest: Condition?
  /// The order to bring the objects into; empty where the store's rows come in order.
  package var order: [SortKey] = []

  package init(_ stored: FetchDescription) { self.stored = stored }

  /// Divides a condition into the conjuncts that a store says and those that it does not.
  ///
  /// `canSay` tells whether the store says a conjunct, and throws for wrong input.
  package init(
    _ description: FetchDescription,
    saysOrder: Bool,
    canSay: (Condition) throws -> Bool
  ) rethrows {
    stored = description
    var said: [Condition] = []
    var left: [Condition] = []
    for part in description.condition?.conjuncts ?? [] {
      if try canSay(part) { said.append(part) } else { left.append(part) }
    }
    stored.condition = Self.joined(said)
    rest = Self.joined(left)
    if !saysOrder {
      order = description.order
      stored.order = []
    }
    if rest != nil || !order.isEmpty {
      stored.limit = 0
      stored.offset = 0
    }
  }

  private static func joined(_ parts: [Condition]) -> Condition? {
    parts.count > 1 ? .and(parts) : parts.first
  }
}

extension Condition {
  /// The conditions that hold together where this one holds, in their order.
  package var conjuncts: [Condition] {
    switch self {
    case .and(let parts): parts.flatMap(\.conjuncts)
    case .not(.or(let parts)): parts.flatMap { Condition.not($0).conjuncts }
    case .not(.not(let part)): part.conjuncts
    default: [self]
    }
  }
}
