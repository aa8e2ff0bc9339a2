// SPDX-License-Identifier: Apache-2.0

/// What Apple's framework answers with an exception: each stops the program with Apple's wording.
package enum Misuse {
  /// A format string that cannot be parsed; `detail` is the rendered error with its caret line.
  package static func unparsableFormat(_ format: String, _ detail: String) -> Never {
    fatalError("Unable to parse the format string \"\(format)\"\n\(detail)")
  }

  /// A predicate or expression that cannot be evaluated, such as a substring operator on a number.
  package static func failedEvaluation(_ reason: String) -> Never {
    fatalError(reason)
  }
}
