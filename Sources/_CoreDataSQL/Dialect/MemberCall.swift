// SPDX-License-Identifier: Apache-2.0

import _CoreDataPredicate

/// A call of one of this library's SQL aggregates, which compute the sum or average of members' values.
///
/// The aggregates are `CDSum`, `CDAverage`, and a variant of each for decimals.
package struct MemberCall: Hashable, Sendable {
  package let isAverage: Bool
  package let isDecimal: Bool
  package var name: String { (isAverage ? "CDAverage" : "CDSum") + (isDecimal ? "Decimal" : "") }
  /// The function that computes the same aggregate in memory.
  package var function: AggregateFunction { isAverage ? .average : .sum }

  package init(isAverage: Bool, isDecimal: Bool) {
    self.isAverage = isAverage
    self.isDecimal = isDecimal
  }
  package static let all = [false, true].flatMap { average in
    [false, true].map { MemberCall(isAverage: average, isDecimal: $0) }
  }
}
