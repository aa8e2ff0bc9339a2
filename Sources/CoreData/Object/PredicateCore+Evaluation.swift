// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate

/// Predicates evaluated with managed and other objects.
extension PredicateCore {
  /// Whether the condition holds for an object; what cannot be evaluated stops the program.
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
      // Most objects are managed ones; for them no other conversion is tried.
      let value = (object as? NSManagedObject).map { .object($0) } ?? Value(any: object).evaluated
      return try prepared.holds(for: value, variables: variables)
    } catch let error as UnknownKey {
      Misuse.undefinedKey(error)
    } catch {
      Misuse.failedEvaluation("\(error)")
    }
  }
}
