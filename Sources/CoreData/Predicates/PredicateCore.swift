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

  func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { $0.condition == condition } ?? false
  }
}
