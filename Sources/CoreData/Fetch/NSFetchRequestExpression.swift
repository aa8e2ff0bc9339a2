// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel
import _CoreDataPredicate

/// The type of fetch request expressions.
///
/// Source: documented, “NSFetchRequestExpression”.
public let NSFetchRequestExpressionType = NSExpression.ExpressionType.fetchRequest

/// An expression whose value is the results of a fetch request, or their number.
///
///     let newest = NSFetchRequestExpression.expression(
///       forFetch: NSExpression(forConstantValue: request),
///       context: NSExpression(forConstantValue: context), countOnly: true)
///     newest.expressionValue(with: nil, context: nil)
///
/// Evaluate the expression on the queue of the context.
///
/// Source: documented, “NSFetchRequestExpression”.
open class NSFetchRequestExpression: NSExpression, @unchecked Sendable {
  // Unchecked: the class is immutable, like its superclass.

  /// Returns an expression for the results of a fetch request, or for their number.
  ///
  /// `fetch` must evaluate to an `NSFetchRequest`, and `context` must evaluate to the managed object context.
  open class func expression(
    forFetch fetch: NSExpression,
    context: NSExpression,
    countOnly countFlag: Bool
  ) -> NSExpression {
    let term = Term.fetch(fetch.term, context: context.term, countOnly: countFlag)
    return NSFetchRequestExpression(term.limited, permission: .ofArguments([fetch, context]))
  }

  /// Returns the parts of the term; stops the program if the term is not a fetch.
  ///
  /// `part` is the name of the property that is being read, for the error message.
  private func parts(
    for part: String
  ) -> (request: Term, context: Term, countOnly: Bool) {
    guard case .fetch(let request, let context, let countOnly) = term else {
      Misuse.absentPart(part, of: self)
    }
    return (request, context, countOnly)
  }

  /// The expression that evaluates to the request.
  open var requestExpression: NSExpression {
    part(parts(for: "requestExpression").request)
  }
  /// The expression that evaluates to the context.
  open var contextExpression: NSExpression {
    part(parts(for: "contextExpression").context)
  }
  /// Whether the expression evaluates to the number of results instead of the results.
  open var isCountOnlyRequest: Bool { parts(for: "isCountOnlyRequest").countOnly }
}

extension NSExpression {
  /// Returns the expression for the term: an `NSFetchRequestExpression`, the expression that the term wraps,
  /// or an `NSExpression`.
  package static func make(_ term: Term) -> NSExpression { make(term, permission: nil) }

  /// Returns an expression as `make(_:)` does; if `permission` is not nil, the expression can be evaluated
  /// only after the program has given the permission.
  static func make(_ term: Term, permission: EvaluationPermission?) -> NSExpression {
    if case .fetch = term { return NSFetchRequestExpression(term, permission: permission) }
    if case .opaque(let opaque) = term, let own = opaque.owner as? NSExpression { return own }
    return NSExpression(term, permission: permission)
  }
}

extension NSFetchRequest: FetchEvaluating {
  package func fetchedValue(context: Value, countOnly: Bool) throws -> Value {
    guard case .opaque(let any) = context, let context = any as? NSManagedObjectContext else {
      throw EvaluationError(
        .invalidArgument,
        "FETCH needs an NSManagedObjectContext as its second argument, not "
          + (context.any.map { "a value of type \(type(of: $0))" } ?? "nil")
      )
    }
    if countOnly { return .int(Int64(try context.count(for: self))) }
    return Value(any: try context.fetch(self))
  }
}
