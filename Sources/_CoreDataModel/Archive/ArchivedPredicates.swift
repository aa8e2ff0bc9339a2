// SPDX-License-Identifier: Apache-2.0

/// Reads and writes the predicates and expressions in archives of models, as format texts.
///
/// Predicates are a room above this one; whoever knows both hands this in.
package protocol ArchivedPredicates: Sendable {
  /// The format of an archived predicate.
  ///
  /// - Throws: where the object is no predicate.
  func predicate(_ node: PropertyListNode?, in archive: KeyedArchive) throws -> String
  /// The format of an archived expression.
  ///
  /// - Throws: where the object is no expression.
  func expression(_ node: PropertyListNode?, in archive: KeyedArchive) throws -> String
  /// Adds the predicate of a format to an archive, and gives the reference to it.
  ///
  /// - Throws: where the format cannot be parsed.
  func addPredicate(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode
  /// Adds the expression of a format to an archive, and gives the reference to it.
  ///
  /// - Throws: where the format cannot be parsed.
  func addExpression(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode
}
