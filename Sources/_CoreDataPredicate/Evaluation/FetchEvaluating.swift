// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A fetch request that `FETCH(request, context)` evaluates in memory; `NSFetchRequest` conforms.
///
/// The request is passed as the content of a `Value.opaque`.
package protocol FetchEvaluating {
  /// Executes the request and returns the objects as a collection or, if `countOnly` is true, the number of
  /// objects.
  ///
  /// - Throws: the errors of the fetch, and `EvaluationError` if `context` is not a context.
  func fetchedValue(context: Value, countOnly: Bool) throws -> Value
}
