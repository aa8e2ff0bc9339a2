// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One object of an archived predicate: the name of its class and what it holds by key.
///
/// The conditions and terms it holds are not taken apart yet, so whoever writes the archive decides
/// how its objects are linked. Source: observed, the fetch templates, validation predicates and fetched
/// properties of compiled models; the classes those do not show are chosen.
package final class ArchivedPart {
  /// What stands under a key.
  package enum Field {
    case integer(Int64)
    case flag(Bool)
    case text(String)
    /// A constant; null as the archive's null object.
    case value(Value)
    case term(Term)
    case terms([Term])
    case condition(Condition)
    case conditions([Condition])
    /// Another object that is neither a condition nor a term of its own.
    case part(ArchivedPart)
    case parts([ArchivedPart])
  }

  /// The class, such as `NSComparisonPredicate`.
  package let className: String
  package let fields: [String: Field]

  package init(_ className: String, _ fields: [String: Field]) {
    self.className = className
    self.fields = fields
  }

  /// The ancestors of the class, nearest first, `NSObject` left out.
  package var ancestors: [String] {
    switch className {
    case "NSKeyPathExpression": ["NSFunctionExpression", "NSExpression"]
    case let name where name.hasSuffix("PredicateOperator"): ["NSPredicateOperator"]
    case let name where name.hasSuffix("Expression"): ["NSExpression"]
    case let name where name.hasSuffix("Predicate"): ["NSPredicate"]
    default: []
    }
  }
}

/// Reads one archived object of a predicate, whatever the archive is.
package protocol ArchivedFields {
  /// The name of the object's class.
  var className: String { get }
  /// The number under a key, nil where there is none.
  func integer(_ key: String) -> Int64?
  /// The text under a key, nil where there is none.
  func text(_ key: String) -> String?
  /// The constant under a key, null where there is none.
  ///
  /// - Throws: `ArchiveError` where it is of no kind that predicates hold.
  func value(_ key: String) throws -> Value
  /// - Throws: `ArchiveError` where there is no well-formed expression.
  func term(_ key: String) throws -> Term
  /// - Throws: `ArchiveError` where there is no array of well-formed expressions.
  func terms(_ key: String) throws -> [Term]
  /// - Throws: `ArchiveError` where there is no well-formed predicate.
  func condition(_ key: String) throws -> Condition
  /// - Throws: `ArchiveError` where there is no array of well-formed predicates.
  func conditions(_ key: String) throws -> [Condition]
  /// The operator of a comparison, nil where there is none.
  func archivedOperator(_ key: String) -> ArchivedOperator?
}

/// Why a predicate cannot be archived, or an archive is no predicate.
package struct ArchiveError: Error, Hashable, CustomStringConvertible {
  package let message: String
  package init(_ message: String) { self.message = message }
  package var description: String { message }
}
