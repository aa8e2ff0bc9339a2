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
  /// The permission that the evaluation needs; nil if the predicate can always be evaluated.
  let permission: EvaluationPermission?
  private let known = Mutex<PreparedCondition?>(nil)

  init(_ condition: Condition, permission: EvaluationPermission? = nil) {
    self.condition = condition
    self.permission = permission
  }

  /// The prepared condition, created at the first access; stops the program if evaluation is not allowed.
  var prepared: PreparedCondition {
    permission?.require(for: "predicate")
    return known.withLock { known in
      if let known { return known }
      let prepared = PreparedCondition(condition)
      known = prepared
      return prepared
    }
  }

  func isEqual(_ object: Any?) -> Bool {
    (object as? NSPredicate).map { $0.condition == condition } ?? false
  }
}
