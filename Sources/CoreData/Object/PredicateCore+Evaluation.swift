// SPDX-License-Identifier: Apache-2.0

import _CoreDataGraph
import _CoreDataModel
import _CoreDataPredicate

extension PredicateCore {
  /// Returns whether the condition holds for an object; stops the program if the condition cannot be
  /// evaluated.
  func evaluate(_ object: Any?, _ variables: [String: Any]?) -> Bool {
    Self.holds(prepared, object, variables?.mapValues { Value(any: $0).evaluated } ?? [:])
  }

  /// Returns whether a condition holds for an object; stops the program if the condition cannot be evaluated.
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
  /// - Throws: `EvaluationError` and `UnknownKey` if the condition cannot be evaluated.
  func holds(for object: Any?) throws -> Bool {
    try prepared.holds(for: Self.value(of: object), variables: [:])
  }

  /// Converts an object to a value; managed objects, the most frequent operands, are tested first.
  @inline(__always)
  private static func value(of object: Any?) -> Value {
    (object as? NSManagedObject).map { .object($0) } ?? Value(any: object).evaluated
  }
}
