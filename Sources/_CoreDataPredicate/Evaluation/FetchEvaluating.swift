// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A fetch request that the expression `FETCH(request, context)` can execute; `NSFetchRequest` conforms.
///
/// The expression receives the request as a `Value.opaque`.
package protocol FetchEvaluating {
  /// Executes the request and returns the objects as a collection or, if `countOnly` is true, the number of
  /// objects.
  ///
  /// - Throws: the errors of the fetch, and `EvaluationError` if `context` does not contain an
  ///   `NSManagedObjectContext`.
  func fetchedValue(context: Value, countOnly: Bool) throws -> Value
}
