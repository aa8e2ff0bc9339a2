// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// One object of an archived predicate or expression: its class name, and its fields by key.
///
/// A field can contain conditions and terms. The writer of the archive converts these to archived objects,
/// and decides how the objects refer to each other.
/// Source: observed, the fetch templates, validation predicates and fetched properties of compiled models;
/// this library's choice for classes that do not occur there.
package final class ArchivedPart {
  /// The value of a field.
  package enum Field {
    case integer(Int64)
    case flag(Bool)
    case text(String)
    /// A constant; null is archived as a reference to `$null`.
    case value(Value)
    case term(Term)
    case terms([Term])
    case condition(Condition)
    case conditions([Condition])
    /// An object that is neither a condition nor a term, such as an operator.
    case part(ArchivedPart)
    case parts([ArchivedPart])
  }

  /// The name of the class, such as `NSComparisonPredicate`.
  package let className: String
  package let fields: [String: Field]

  package init(_ className: String, _ fields: [String: Field]) {
    self.className = className
    self.fields = fields
  }

  /// The names of the superclasses, nearest first, without `NSObject`.
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

/// The fields of one archived object of a predicate or expression, independent of the kind of archive.
package protocol ArchivedFields {
  /// The name of the object's class; empty for the null object, and for a value without a class.
  var className: String { get }
  /// Returns the integer under a key; nil if the object has neither an integer nor a Boolean there.
  ///
  /// A Boolean is returned as 1 or 0.
  func integer(_ key: String) -> Int64?
  /// Returns the string under a key; nil if the object has no string there.
  func text(_ key: String) -> String?
  /// Returns the constant under a key; null if the object does not have the key.
  ///
  /// - Throws: `ArchiveError` if the class of the constant is not supported, or the constant is damaged or
  ///   too large.
  func value(_ key: String) throws -> Value
  /// Returns the expression under a key.
  ///
  /// - Throws: `ArchiveError` if the object has no valid expression there.
  func term(_ key: String) throws -> Term
  /// Returns the expressions in the array under a key.
  ///
  /// - Throws: `ArchiveError` if the object has no array of valid expressions there.
  func terms(_ key: String) throws -> [Term]
  /// Returns the predicate under a key.
  ///
  /// - Throws: `ArchiveError` if the object has no valid predicate there.
  func condition(_ key: String) throws -> Condition
  /// Returns the predicates in the array under a key.
  ///
  /// - Throws: `ArchiveError` if the object has no array of valid predicates there.
  func conditions(_ key: String) throws -> [Condition]
  /// Returns the operator of a comparison under a key.
  ///
  /// - Throws: `ArchiveError` if the object has no valid operator there.
  func archivedOperator(_ key: String) throws -> ArchivedOperator
}

/// An error that is thrown if a predicate or expression cannot be archived, or cannot be read from an
/// archive.
package struct ArchiveError: Error, Hashable, CustomStringConvertible {
  package let message: String
  package init(_ message: String) { self.message = message }
  package var description: String { message }
}
