// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// The reason why the format of a predicate or expression cannot be parsed.
///
/// Not in Apple's framework.
///
/// The description shows the line with a caret below the position of the error.
///
/// Source: chosen.
public struct PredicateFormatError: Error, LocalizedError, CustomStringConvertible {
  /// The invalid format.
  public let format: String
  /// The position of the error, as an offset in bytes of the format's UTF-8.
  public let position: Int
  /// What would be valid at the position, such as `an operator`.
  public let expected: [String]
  /// The known word most similar to the word at the position; nil if no known word is similar.
  public let suggestion: String?
  /// The error, the line, and a caret below the position.
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
