// SPDX-License-Identifier: Apache-2.0

import _CoreDataModel

/// Converts archived predicates and expressions of a model to format strings, and format strings to archived
/// objects.
package struct PredicateTexts: ArchivedPredicates {
  package init() {}

  package func predicate(
    _ node: PropertyListNode?,
    in archive: KeyedArchive
  ) throws -> String {
    try PredicateArchive.condition(node, in: archive).format
  }

  package func expression(
    _ node: PropertyListNode?,
    in archive: KeyedArchive
  ) throws -> String {
    try PredicateArchive.term(node, in: archive).format
  }

  package func addPredicate(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode {
    try PredicateArchive.add(Condition(format: format), to: &builder)
  }

  package func addExpression(
    _ format: String,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode {
    try PredicateArchive.add(Term(format: format), to: &builder)
  }
}
