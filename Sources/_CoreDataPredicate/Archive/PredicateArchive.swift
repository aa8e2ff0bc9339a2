// SPDX-License-Identifier: Apache-2.0

import Foundation
import _CoreDataModel

/// Reads and writes conditions and terms as keyed archives, the form used in compiled models and model
/// caches.
///
///     let data = try PredicateArchive.data(condition)
///     let condition = try PredicateArchive.condition(data)
package enum PredicateArchive {
  /// The maximum nesting depth of archived objects.
  ///
  /// The limit also stops the reader if an object contains itself.
  static let depth = 200
  /// The maximum number of objects that are read from an archive; a shared object counts once for each
  /// reference.
  static let budget = 200_000

  /// Returns a keyed archive with the condition as its root.
  ///
  /// - Throws: `ArchiveError` if a part of the condition, such as a block or a managed object, cannot be
  ///   archived.
  package static func data(_ condition: Condition) throws -> Data {
    var builder = KeyedArchiveBuilder()
    let root = try add(condition, to: &builder)
    return builder.data(root: root)
  }

  /// Returns the condition that is the root of an archive.
  ///
  /// The archive may be untrusted: time and depth are bounded, no archived class is instantiated, and no
  /// code runs.
  /// - Throws: `ModelError` if the data is not an archive, `ArchiveError` if its root is not a valid
  ///   predicate.
  package static func condition(_ data: Data) throws -> Condition {
    let archive = try KeyedArchive(data)
    guard let root = archive.root else { throw noRoot }
    return try condition(root, in: archive)
  }

  /// Returns a keyed archive with the expression as its root.
  ///
  /// - Throws: `ArchiveError` if a part of the expression, such as a block or a managed object, cannot be
  ///   archived.
  package static func data(_ term: Term) throws -> Data {
    var builder = KeyedArchiveBuilder()
    let root = try add(term, to: &builder)
    return builder.data(root: root)
  }

  /// Returns the expression that is the root of an archive.
  ///
  /// The archive may be untrusted; the limits of `condition(_:)` apply.
  /// - Throws: `ModelError` if the data is not an archive, `ArchiveError` if its root is not a valid
  ///   expression.
  package static func term(_ data: Data) throws -> Term {
    let archive = try KeyedArchive(data)
    guard let root = archive.root else { throw noRoot }
    return try term(root, in: archive)
  }

  private static var noRoot: ArchiveError {
    ArchiveError("The archive contains no predicate or expression: it has no root object")
  }

  /// Adds a condition to an archive and returns the reference to the archived condition.
  ///
  /// - Throws: `ArchiveError` if a part of the condition cannot be archived.
  package static func add(
    _ condition: Condition,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode {
    try add(try condition.archivedPart(), to: &builder)
  }

  /// Adds an expression to an archive and returns the reference to the archived expression.
  ///
  /// - Throws: `ArchiveError` if a part of the expression cannot be archived.
  package static func add(
    _ term: Term,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode {
    try add(try term.archivedPart(), to: &builder)
  }

  /// Returns the condition that an archived object represents; `node` is the object or a reference to the
  /// object.
  ///
  /// - Throws: `ArchiveError` if the object is not a valid predicate.
  package static func condition(
    _ node: PropertyListNode?,
    in archive: KeyedArchive
  ) throws -> Condition {
    try Condition(archived: ArchivedObject(node, of: archive, budget: ReadingBudget()))
  }

  /// Returns the expression that an archived object represents; `node` is the object or a reference to the
  /// object.
  ///
  /// - Throws: `ArchiveError` if the object is not a valid expression.
  package static func term(_ node: PropertyListNode?, in archive: KeyedArchive) throws -> Term {
    try Term(archived: ArchivedObject(node, of: archive, budget: ReadingBudget()))
  }

  private static func add(
    _ part: ArchivedPart,
    to builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode {
    var fields: [String: PropertyListNode] = [:]
    for (key, field) in part.fields.sorted(by: { $0.key < $1.key }) {
      fields[key] = try node(field, &builder)
    }
    return builder.object(
      ArchivedClass(name: part.className, ancestors: part.ancestors),
      fields
    )
  }

  private static func node(
    _ field: ArchivedPart.Field,
    _ builder: inout KeyedArchiveBuilder
  ) throws -> PropertyListNode {
    switch field {
    case .integer(let number): return .integer(number)
    case .flag(let flag): return .bool(flag)
    case .text(let text): return builder.text(text)
    case .value(let value):
      if let obstacle = value.obstacleToArchiving {
        throw ArchiveError(
          "\(obstacle) in a predicate or expression cannot be archived. Use a variable such as $object, and "
            + "substitute the value for the variable after reading the archive"
        )
      }
      return builder.value(value)
    case .term(let term): return try add(term, to: &builder)
    case .condition(let condition): return try add(condition, to: &builder)
    case .part(let part): return try add(part, to: &builder)
    case .terms(let terms):
      return builder.array(.array, try terms.map { try add($0, to: &builder) })
    case .conditions(let conditions):
      return builder.array(.array, try conditions.map { try add($0, to: &builder) })
    case .parts(let parts):
      return builder.array(.mutableArray, try parts.map { try add($0, to: &builder) })
    }
  }
}

private final class ReadingBudget {
  var left = PredicateArchive.budget
}

private struct ArchivedObject: ArchivedFields {
  let node: PropertyListNode?
  let archive: KeyedArchive
  let budget: ReadingBudget
  let level: Int

  init(
    _ node: PropertyListNode?,
    of archive: KeyedArchive,
    budget: ReadingBudget,
    level: Int = 0
  ) {
    self.node = archive[node]
    self.archive = archive
    self.budget = budget
    self.level = level
  }

  var className: String { archive.className(node) ?? "" }
  func integer(_ key: String) -> Int64? {
    node?[key]?.integer ?? node?[key]?.bool.map { $0 ? 1 : 0 }
  }
  func text(_ key: String) -> String? { archive[node?[key]]?.text }

  func value(_ key: String) throws -> Value {
    if let value = archive.value(node?[key]) { return value }
    let reason =
      archive.className(archive[node?[key]]).map {
        "its class \($0) or the class of a member is not supported, or its content is damaged or too large"
      } ?? "its content is damaged"
    throw ArchiveError("The archived constant in the field “\(key)” cannot be read: \(reason)")
  }

  func term(_ key: String) throws -> Term { try Term(archived: try member(node?[key])) }
  func condition(_ key: String) throws -> Condition {
    try Condition(archived: try member(node?[key]))
  }
  func terms(_ key: String) throws -> [Term] {
    try members(key).map { try Term(archived: $0) }
  }
  func conditions(_ key: String) throws -> [Condition] {
    try members(key).map { try Condition(archived: $0) }
  }
  func archivedOperator(_ key: String) throws -> ArchivedOperator {
    let object = try member(node?[key])
    if object.node == nil {
      throw ArchiveError("An archived \(className) has no operator in the field “\(key)”")
    }
    return try ArchivedOperator(integer: object.integer, text: object.text)
  }

  private func member(_ field: PropertyListNode?) throws -> ArchivedObject {
    budget.left -= 1
    if level >= PredicateArchive.depth {
      throw ArchiveError(
        "The archived predicate or expression is nested more than \(PredicateArchive.depth) levels deep"
      )
    }
    if budget.left < 0 {
      throw ArchiveError(
        "The archived predicate or expression has more than \(CellText.count(PredicateArchive.budget)) parts"
      )
    }
    return ArchivedObject(field, of: archive, budget: budget, level: level + 1)
  }

  private func members(_ key: String) throws -> [ArchivedObject] {
    guard let fields = archive[node?[key]]?["NS.objects"]?.array else {
      throw ArchiveError("An archived \(className) has no array in the field “\(key)”")
    }
    return try fields.map { try member($0) }
  }
}

extension Value {
  /// A description of this value, or of its first member, that prevents archiving, such as “An object ID”.
  ///
  /// Nil if the value can be archived.
  fileprivate var obstacleToArchiving: String? {
    switch self {
    case .key: "An object ID"
    case .object(let object):
      object.objectKey == nil ? "A value of a custom type" : "A managed object"
    case .opaque: "A value of a custom type"
    case .collection(let collection):
      collection.members.lazy.compactMap(\.obstacleToArchiving).first
    case .dictionary(let members): members.values.lazy.compactMap(\.obstacleToArchiving).first
    default: nil
    }
  }
}
