// SPDX-License-Identifier: Apache-2.0

/// Converts predicates and expressions between keyed archives and format strings.
///
/// This module cannot import the predicate module, because the predicate module imports this one. Callers
/// that import both modules pass an implementation.
package protocol ArchivedPredicates: Sendable {
  /// Returns the format string of an archived predicate.
  ///
  /// - Throws: an error if the object is not a predicate or cannot be read.
  func predicate(_ node: PropertyListNode?, in archive: KeyedArchive) throws -> String
  /// Returns the format string of an archived expression.
  ///
  /// - Throws: an error if the object is not an expression or cannot be read.
  func expression(_ node: PropertyListNode?, in archive: KeyedArchive) throws -> String
  /// Adds the predicate of a format string to an archive and returns the reference to it.
  ///
  /// - Throws: an error if the format string cannot be parsed or archived.
  func addPredicate(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode
  /// Adds the expression of a format string to an archive and returns the reference to it.
  ///
  /// - Throws: an error if the format string cannot be parsed or archived.
  func addExpression(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode
}
