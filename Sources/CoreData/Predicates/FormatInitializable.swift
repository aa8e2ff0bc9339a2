// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// A protocol whose extensions add members to Foundation's predicate classes.
///
/// Foundation on Linux declares members such as `init(format:_:)` unavailable, so calls resolve to the
/// members of this protocol.
public protocol FormatInitializable {}

extension NSPredicate: FormatInitializable {}

extension FormatInitializable {
  /// Creates a predicate from a format and the values for the placeholders in the format.
  ///
  ///     NSPredicate(format: "name CONTAINS[cd] %@ AND wins >= %d", "saints", 3)
  ///
  /// Stops the program if the format or a value is invalid, or if `Self` is a subclass of `NSPredicate` and
  /// the format describes a predicate of another class. Use `init(validating:_:)` for formats that are not
  /// part of the program.
  ///
  /// Source: documented, “NSPredicate”.
  public init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init(parsing: predicateFormat, args)
  }

  /// Creates a predicate from a format and an array with the values for the placeholders in the format.
  ///
  /// Stops the program in the same cases as `init(format:_:)`.
  ///
  /// Source: documented, “NSPredicate”.
  public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(parsing: predicateFormat, arguments ?? [])
  }

  /// Creates a predicate from a format that may be invalid, and the values for the placeholders in the
  /// format.
  ///
  /// Not in Apple's framework.
  ///
  /// Stops the program if `Self` is a subclass of `NSPredicate` and the format describes a predicate of
  /// another class.
  /// - Throws: `PredicateFormatError` if the format or a value is invalid.
  /// - Source: this library's choice; Apple's initialisers raise an exception instead.
  public init(validating predicateFormat: String, _ args: any CVarArg...) throws {
    try self.init(validating: predicateFormat, argumentArray: args)
  }

  /// Creates a predicate from a format that may be invalid, and an array with the values for the placeholders
  /// in the format.
  ///
  /// Not in Apple's framework.
  ///
  /// Stops the program if `Self` is a subclass of `NSPredicate` and the format describes a predicate of
  /// another class.
  /// - Throws: `PredicateFormatError` if the format or a value is invalid.
  /// - Source: this library's choice; Apple's initialisers raise an exception instead.
  public init(validating predicateFormat: String, argumentArray arguments: [Any]?) throws {
    let condition: Condition
    do {
      let arguments = (arguments ?? []).map { FormatArgument(any: $0) }
      condition = try Condition(format: predicateFormat, arguments: arguments)
    } catch let error as FormatError {
      throw PredicateFormatError(error)
    }
    let parsed = NSPredicate.make(condition, permission: .ofArguments(arguments ?? []))
    guard let predicate = parsed as? Self else {
      Misuse.unparsableFormat(
        predicateFormat,
        "The format describes a predicate of the class \(parsed.publicClass), but the initialiser was "
          + "called on \(Self.self). Call the initialiser on NSPredicate."
      )
    }
    self = predicate
  }

  private init(parsing format: String, _ arguments: [Any]) {
    do {
      try self.init(validating: format, argumentArray: arguments)
    } catch {
      Misuse.unparsableFormat(format, "\(error)")
    }
  }
}

extension FormatArgument {
  init(any: Any) {
    switch any {
    case let predicate as NSPredicate: self = .condition(predicate.condition)
    case let expression as NSExpression: self = .term(expression.term)
    default: self = .value(.init(any: any))
    }
  }
}
