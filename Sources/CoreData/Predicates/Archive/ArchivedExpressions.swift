// SPDX-License-Identifier: Apache-2.0

import CoreDataPredicate
import Foundation

// Archives name the class of each kind of expression; here all kinds are one class, so these stand for
// the names. They have no members but their names.

/// An expression that was read from an archive, or stands for a name while one is written.
class NamedExpression: NSExpression, @unchecked Sendable {
  // Unchecked: immutable, as its superclass.
  /// The name in archives.
  class var name: String { "NSExpression" }
  override class var archivedName: String { name }
}

final class ArchivedConstant: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSConstantValueExpression" }
}
final class ArchivedSelf: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSSelfExpression" }
}
final class ArchivedVariable: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSVariableExpression" }
}
final class ArchivedKeyPath: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSKeyPathExpression" }
}
final class ArchivedSpecifier: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSKeyPathSpecifierExpression" }
}
final class ArchivedFunction: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSFunctionExpression" }
}
final class ArchivedAggregate: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSAggregateExpression" }
}
final class ArchivedAssignment: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSVariableAssignmentExpression" }
}
final class ArchivedAnyKey: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSAnyKeyExpression" }
}
final class ArchivedSubquery: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSSubqueryExpression" }
}
final class ArchivedSetExpression: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSSetExpression" }
}
final class ArchivedTernary: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSTernaryExpression" }
}
final class ArchivedSymbol: NamedExpression, @unchecked Sendable {
  override class var name: String { "NSSymbolicExpression" }
}
