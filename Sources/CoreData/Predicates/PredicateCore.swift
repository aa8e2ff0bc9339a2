// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataPredicate

/// A predicate that knows its condition.
protocol ConditionCarrier {
  var core: PredicateCore { get }
}

/// A condition and what is needed to evaluate it for Foundation's methods.
final class PredicateCore: Sendable {
  let condition: Condition
  private struct State {
    var prepared: PreparedCondition?
    var isEvaluationAllowed: Bool
  }
  private let state: Mutex<State>

  /// `isEvaluationAllowed` is false for what was read from an archive that may be anybody's.
  init(_ condition: Condition, isEvaluationAllowed: Bool = true) {
    self.condition = condition
    state = Mutex(State(isEvaluationAllowed: isEvaluationAllowed))
  }

  func allowEvaluation() { state.withLock { $0.isEvaluationAllowed = true } }

  /// The condition made ready for many objects, the first time it is asked for; stops the program where
  /// evaluation is not allowed.
  var prepared: PreparedCondition {
    state.withLock { state in
      if !state.isEvaluationAllowed { Misuse.disabledEvaluation("predicate") }
      if let prepared = state.prepared { return prepared }
      let prepared = PreparedCondition(condition)
      state.prepared = prepared
      return prepared
    }
  }

  func evaluate(_ object: Any?, _ variables: [String: Any]?) -> Bool {
    Self.holds(prepared, object, variables?.mapValues { Value(any: $0).evaluated } ?? [:])
  }

  /// Whether a condition holds for an object; what cannot be evaluated stops the program.
  static func holds(
    _ prepared: PreparedCondition,
    _ object: Any?,
    _ variables: [String: Value] = [:]
  ) -> Bool {
    do {
      return try prepared.holds(for: value(of: object), variables: variables)
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }

  /// Returns whether the condition holds for an object.
  ///
  /// - Throws: `EvaluationError` and `UnknownKey` where it cannot be evaluated.
  func holds(for object: Any?) throws -> Bool {
    try prepared.holds(for: Self.value(of: object), variables: [:])
  }

  /// Managed objects are the most frequent operands, so that other kinds are tried after them.
  private static func value(of object: Any?) -> Value {
    (object as? NSManagedObject).map { .object($0) } ?? Value(any: object).evaluated
  }

  func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { $0.condition == condition } ?? false
  }
}
