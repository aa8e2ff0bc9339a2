// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel
import _CoreDataPredicate
import _CoreDataStore

/// Conditions that hold for at least the rows for which another condition holds.
///
/// Where the engine cannot express a comparison, its bound takes its place: in a condition that may hold for
/// more rows, the comparison holds where it is possible; in the contrary of one, where it is certain.
extension ConditionCompiler {
  /// Returns a condition that holds for all rows for which `condition` holds, and for as few others as the
  /// engine can tell; nil if it would hold for all rows.
  func prefilter(
    _ condition: Condition,
    in scope: Scope,
    within allowance: inout StatementAllowance
  ) throws -> SQL? {
    bound = .possible
    defer { bound = nil }
    var pieces: [SQL] = []
    for part in condition.conjuncts {
      do {
        let piece = try statementCondition(
          part,
          in: scope,
          within: &allowance,
          leaving: EngineLimits.conjunction
        )
        if piece != always { pieces.append(piece) }
      } catch is StoreError {
        // Memory refuses the condition where it must be refused.
        continue
      }
    }
    return SQL.joined(pieces, with: " AND ")
  }

  /// Compiles the operand of a contrary, whose bound is the contrary too.
  func contrary<Made>(_ body: () throws -> Made) rethrows -> Made {
    let outer = bound
    bound = outer?.contrary
    defer { bound = outer }
    return try body()
  }

  /// Compiles a condition that is part of a value, for which no bound would be right.
  func exactly<Made>(_ body: () throws -> Made) rethrows -> Made {
    let outer = bound
    bound = nil
    defer { bound = outer }
    return try body()
  }

  /// Compiles a comparison, or its bound if the engine cannot express it.
  func bounded(_ comparison: Comparison, in scope: Scope) throws -> SQL {
    guard let bound else { return try self.comparison(comparison, in: scope) }
    let outer = isUncertain
    isUncertain = false
    defer { isUncertain = outer }
    do {
      let piece = try self.comparison(comparison, in: scope)
      if !isUncertain { return piece }
      return bound == .possible ? "((\(piece)) IS NOT FALSE)" : never
    } catch is StoreError {
      return bound == .possible ? always : never
    }
  }
}
