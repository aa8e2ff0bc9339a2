// SPDX-License-Identifier: Apache-2.0

/// Programmer errors, each of which stops the program; Apple's framework raises an exception for most of
/// them.
package enum Misuse {
  /// A format string cannot be parsed; `detail` describes the error and, for a syntax error, marks its
  /// position.
  package static func unparsableFormat(_ format: String, _ detail: String) -> Never {
    fatalError("Unable to parse the format string \"\(format)\"\n\(detail)")
  }

  /// A predicate or expression cannot be evaluated, for example because it applies a string operator to a
  /// number.
  package static func failedEvaluation(_ reason: String) -> Never {
    fatalError(reason)
  }
}
