// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// A fetch request as `FETCH(request, context)` meets it in memory: the shell's class runs itself.
///
/// The request arrives as the content of `Value.opaque`.
package protocol FetchEvaluating {
  /// The fetched objects as a collection, or their number.
  ///
  /// - Throws: what the fetch throws, and `EvaluationError` where `context` is none.
  func fetchedValue(context: Value, countOnly: Bool) throws -> Value
}
