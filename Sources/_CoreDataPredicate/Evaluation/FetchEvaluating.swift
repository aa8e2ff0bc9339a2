// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A fetch request that `FETCH(request, context)` evaluates in memory; the shell's class conforms.
///
/// The request arrives as the content of `Value.opaque`.
package protocol FetchEvaluating {
  /// The fetched objects as a collection, or their number.
  ///
  /// - Throws: what the fetch throws, and `EvaluationError` where `context` is not a context.
  func fetchedValue(context: Value, countOnly: Bool) throws -> Value
}
