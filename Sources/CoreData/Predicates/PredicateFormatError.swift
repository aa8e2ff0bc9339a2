// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// The error for a predicate format that cannot be parsed or whose values are invalid.
///
/// Not in Apple's framework.
///
/// The description shows the line with a caret below the position of the error.
///
/// Source: this library's choice.
public struct PredicateFormatError: Error, LocalizedError, CustomStringConvertible {
  /// The invalid format.
  public let format: String
  /// The position of the error, as an offset in bytes of the format's UTF-8.
  public let position: Int
  /// The kinds of text that would be valid at the position, such as `an operator`, or the limit that the
  /// format exceeds; can be empty.
  public let expected: [String]
  /// What was probably meant, such as the known word most similar to the word at the position; nil if
  /// unknown.
  public let suggestion: String?
  /// The error, the line of the format, and a caret below the position.
  public let description: String

  init(_ error: FormatError) {
    format = error.format
    position = error.position
    expected = error.expected
    suggestion = error.suggestion
    description = error.debugDescription
  }

  /// The same as `description`.
  public var errorDescription: String? { description }
}
