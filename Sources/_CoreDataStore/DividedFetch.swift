// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate

/// A fetch in two parts: the store performs the first part, and the caller performs the second part on the
/// fetched objects.
///
/// The first part returns at least the rows of the whole fetch. It has a limit and an offset only if there is
/// no second part.
package struct DividedFetch: Sendable {
  package var stored: FetchDescription
  /// The condition that the caller must evaluate; nil if the store evaluates the whole condition.
  package var rest: Condition?
  /// The order in which the caller must sort the objects; empty if the store returns the rows in their final
  /// order.
  package var order: [SortKey] = []

  package init(_ stored: FetchDescription) { self.stored = stored }

  /// Divides a fetch: the store evaluates the conjuncts that it can express, and sorts if it can express the
  /// order.
  ///
  /// `expressesOrder` states whether the store can express the order. `canExpress` returns whether the store
  /// can express a conjunct, and throws an error for an invalid conjunct.
  package init(
    _ description: FetchDescription,
    expressesOrder: Bool,
    canExpress: (Condition) throws -> Bool
  ) rethrows {
    stored = description
    var expressed: [Condition] = []
    var left: [Condition] = []
    for part in description.condition?.conjuncts ?? [] {
      if try canExpress(part) { expressed.append(part) } else { left.append(part) }
    }
    stored.condition = Self.joined(expressed)
    rest = Self.joined(left)
    if !expressesOrder {
      order = description.order
      stored.order = []
    }
    if rest != nil || !order.isEmpty {
      stored.limit = 0
      stored.offset = 0
    }
  }

  /// Returns whether a store can express what `body` compiles or checks; false if `body` throws
  /// `.inexpressible`.
  ///
  /// - Throws: any other error of `body`.
  package static func canExpress(_ body: () throws -> Void) throws -> Bool {
    do {
      try body()
      return true
    } catch let error as StoreError where error.code == .inexpressible {
      return false
    }
  }

  private static func joined(_ parts: [Condition]) -> Condition? {
    parts.count > 1 ? .and(parts) : parts.first
  }
}

extension Condition {
  /// The conditions, in their original order, whose conjunction is equivalent to this condition.
  package var conjuncts: [Condition] {
    switch self {
    case .and(let parts): parts.flatMap(\.conjuncts)
    case .not(.or(let parts)): parts.flatMap { Condition.not($0).conjuncts }
    case .not(.not(let part)): part.conjuncts
    default: [self]
    }
  }
}
