// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization
import _CoreDataModel
import _CoreDataPredicate

protocol ConditionCarrier {
  var core: PredicateCore { get }
}

final class PredicateCore: Sendable {
  let condition: Condition
  private struct State {
    var prepared: PreparedCondition?
    var isEvaluationAllowed: Bool
  }
  private let state: Mutex<State>

  /// `isEvaluationAllowed` is false for a predicate from an untrusted archive.
  init(_ condition: Condition, isEvaluationAllowed: Bool = true) {
    self.condition = condition
    state = Mutex(State(isEvaluationAllowed: isEvaluationAllowed))
  }

  func allowEvaluation() { state.withLock { $0.isEvaluationAllowed = true } }

  /// The prepared condition, created at the first access; stops the program if evaluation is not allowed.
  var prepared: PreparedCondition {
    state.withLock { state in
      if !state.isEvaluationAllowed { Misuse.disabledEvaluation("predicate") }
      if let prepared = state.prepared { return prepared }
      let prepared = PreparedCondition(condition)
      state.prepared = prepared
      return prepared
    }
  }

  func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { $0.condition == condition } ?? false
  }
}
