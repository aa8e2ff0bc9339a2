// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One object of an archived predicate: the name of its class and its fields by key.
///
/// The conditions and terms among the fields are not archived yet: the writer of the archive does that, and
/// decides how the objects refer to each other. Source: observed, the fetch templates, validation predicates
/// and fetched properties of compiled models; the form of classes that do not occur there is chosen.
package final class ArchivedPart {
  /// The value of a field.
  package enum Field {
    case integer(Int64)
    case flag(Bool)
    case text(String)
    /// A constant; null is archived as the null reference.
    case value(Value)
    case term(Term)
    case terms([Term])
    case condition(Condition)
    case conditions([Condition])
    /// An object that is neither a condition nor a term, such as an operator.
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

  /// The superclasses of the class, nearest first, without `NSObject`.
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

/// The fields of one archived object of a predicate, independent of the kind of archive.
package protocol ArchivedFields {
  /// The name of the object's class.
  var className: String { get }
  /// Returns the number under a key; nil if there is none.
  func integer(_ key: String) -> Int64?
  /// Returns the string under a key; nil if there is none.
  func text(_ key: String) -> String?
  /// Returns the constant under a key; null if there is none.
  ///
  /// - Throws: `ArchiveError` if its class is not supported.
  func value(_ key: String) throws -> Value
  /// Returns the expression under a key.
  ///
  /// - Throws: `ArchiveError` if there is no valid expression.
  func term(_ key: String) throws -> Term
  /// Returns the expressions in the array under a key.
  ///
  /// - Throws: `ArchiveError` if there is no array of valid expressions.
  func terms(_ key: String) throws -> [Term]
  /// Returns the predicate under a key.
  ///
  /// - Throws: `ArchiveError` if there is no valid predicate.
  func condition(_ key: String) throws -> Condition
  /// Returns the predicates in the array under a key.
  ///
  /// - Throws: `ArchiveError` if there is no array of valid predicates.
  func conditions(_ key: String) throws -> [Condition]
  /// Returns the operator of a comparison under a key; nil if there is no valid one.
  func archivedOperator(_ key: String) -> ArchivedOperator?
}

/// The error of a predicate that cannot be archived, or of an archive that is not a predicate.
package struct ArchiveError: Error, Hashable, CustomStringConvertible {
  package let message: String
  package init(_ message: String) { self.message = message }
  package var description: String { message }
}
