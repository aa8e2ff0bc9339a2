// SPDX-License-Identifier: Apache-2.0

/// The error of a condition or term that cannot be evaluated.
///
/// `message` is the text of the exception that Apple's framework raises, where that text is known.
package struct EvaluationError: Error, Hashable, CustomStringConvertible {
  /// The kind of failure.
  ///
  /// This is a struct, not an enum, so that kinds can be added without breaking switches.
  package struct Code: RawRepresentable, Hashable, Sendable {
    package let rawValue: String
    package init(rawValue: String) { self.rawValue = rawValue }
    /// A value that the operator or function does not accept (`NSInvalidArgumentException`).
    package static let invalidArgument = Code(rawValue: "invalidArgument")
    /// An index out of bounds (`NSRangeException`).
    package static let range = Code(rawValue: "range")
    /// A variable for which no value was passed.
    package static let unboundVariable = Code(rawValue: "unboundVariable")
    /// An operator, function or expression that cannot be evaluated in memory.
    package static let unsupported = Code(rawValue: "unsupported")
  }
  package let code: Code
  package let message: String
  package init(_ code: Code, _ message: String) {
    self.code = code
    self.message = message
  }
  package var description: String { message }
}
