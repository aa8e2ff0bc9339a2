// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// Why the format of a predicate or expression cannot be parsed.
///
/// Not in Apple's framework.
///
/// Its description shows the line with a caret under the place. Source: chosen.
public struct PredicateFormatError: Error, LocalizedError, CustomStringConvertible {
  /// The format as it was given.
  public let format: String
  /// The place, in bytes of the format's UTF-8.
  public let position: Int
  /// What would have fitted there, such as `an operator`.
  public let expected: [String]
  /// The known word nearest to what was found.
  public let suggestion: String?
  /// What is wrong, the line, and a caret under the place.
  public let description: String

  init(_ error: FormatError) {
    format = error.format
    position = error.position
    expected = error.expected
    suggestion = error.suggestion
    description = error.debugDescription
  }

  /// The description.
  public var errorDescription: String? { description }
}
