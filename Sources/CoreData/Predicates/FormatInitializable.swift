// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataPredicate

/// What Foundation's predicate classes conform to, so that Core Data can give them initialisers.
///
/// Foundation declares the same initialisers as unavailable on Linux; these are found in their place.
public protocol FormatInitializable {}

extension NSPredicate: FormatInitializable {}

extension FormatInitializable {
  /// A predicate from a format and the values of its placeholders.
  ///
  ///     NSPredicate(format: "name CONTAINS[cd] %@ AND wins >= %d", "saints", 3)
  ///
  /// A format that cannot be parsed stops the program; use `init(validating:_:)` for formats that the
  /// program did not write itself. Source: documented (NSPredicate).
  public init(format predicateFormat: String, _ args: any CVarArg...) {
    self.init(parsing: predicateFormat, args)
  }

  /// A predicate from a format and the values of its placeholders, in order.
  ///
  /// A format that cannot be parsed stops the program. Source: documented (NSPredicate).
  public init(format predicateFormat: String, argumentArray arguments: [Any]?) {
    self.init(parsing: predicateFormat, arguments ?? [])
  }

  /// A predicate from a format that may be wrong.
  ///
  /// Not in Apple's framework.
  ///
  /// - Throws: `PredicateFormatError`, which tells the place and the nearest known word.
  /// Source: chosen; Apple raises an exception instead.
  public init(validating predicateFormat: String, _ args: any CVarArg...) throws {
    try self.init(validating: predicateFormat, argumentArray: args)
  }

  /// A predicate from a format that may be wrong and the values of its placeholders.
  ///
  /// Not in Apple's framework.
  ///
  /// - Throws: `PredicateFormatError`, which tells the place and the nearest known word.
  /// Source: chosen; Apple raises an exception instead.
  public init(validating predicateFormat: String, argumentArray arguments: [Any]?) throws {
    let condition: Condition
    do {
      let arguments = (arguments ?? []).map { FormatArgument(any: $0) }
      condition = try Condition(format: predicateFormat, arguments: arguments)
    } catch let error as FormatError {
      throw PredicateFormatError(error)
    }
    guard let predicate = NSPredicate.make(condition) as? Self else {
      Misuse.unparsableFormat(predicateFormat, "It describes no \(Self.self).")
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
  /// The argument for a placeholder: expressions and predicates keep their trees.
  init(any: Any) {
    switch any {
    case let predicate as NSPredicate: self = .condition(predicate.condition)
    case let expression as NSExpression: self = .term(expression.term)
    default: self = .value(.init(any: any))
    }
  }
}
