// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// A query for objects of an entity, as entered on the command line.
package struct ObjectQuery {
  package var entity: String
  /// A predicate format string, in which objects and dates are written as strings; nil for all objects.
  ///
  /// For example, `owner == 'Person/p1'` or `born > "2001-06-01"`.
  package var predicate: String?
  /// Key paths in order of precedence.
  ///
  /// The default order is ascending. The prefix `-` or the suffix `:desc` selects descending order for a key
  /// path; the suffix `:asc` selects ascending order explicitly.
  package var sort: [String] = []
  /// The maximum number of objects; 0 for no limit.
  package var limit = 0
  /// The number of matching objects to skip.
  package var offset = 0
  package var includesSubentities = true

  package init(entity: String) { self.entity = entity }

  /// Returns the IDs of the matching objects, in the order of `sort`.
  ///
  /// - Throws: `ToolError` for an unknown name, and for a string that is compared with a date or an object
  ///   but is neither; an error if the format string cannot be parsed; the errors of a fetch.
  /// - Complexity: one statement for a condition that SQL can express.
  package func ids(
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws -> [NSManagedObjectID] {
    try context.fetch(request(in: opened))
  }

  /// Returns the number of objects that `ids(in:of:)` would return.
  ///
  /// - Throws: the errors of `ids(in:of:)`.
  package func count(
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws -> Int {
    let request: NSFetchRequest<NSManagedObjectID> = try request(in: opened)
    return try context.count(for: request)
  }

  /// Returns the number of matching objects, ignoring `limit` and `offset`.
  ///
  /// - Throws: the errors of `ids(in:of:)`.
  package func total(
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws -> Int {
    var query = self
    query.limit = 0
    query.offset = 0
    return try query.count(in: context, of: opened)
  }

  /// Explains how the store would execute the fetch.
  ///
  /// - Throws: the errors of `ids(in:of:)`, except those of a fetch; `ToolError` if the store is not an
  ///   SQLite store; `StoreError`.
  package func explanation(of opened: OpenedStore) throws -> FetchExplanation {
    guard let store = opened.rows as? SQLiteStore else {
      throw ToolError(
        "\(opened.path) is not an SQLite store, so a fetch from this store cannot be explained",
        hint: "Log the server's statements, and ask the server with EXPLAIN."
      )
    }
    let request: NSFetchRequest<NSManagedObjectID> = try request(in: opened)
    var description = FetchDescription(entity: try opened.entity(named: entity).index)
    description.includesSubentities = includesSubentities
    description.condition = request.predicate?.condition
    description.order = (request.sortDescriptors ?? []).map(\.sortKey)
    description.limit = limit
    description.offset = offset
    return try store.explain(description)
  }

  func request(in opened: OpenedStore) throws -> NSFetchRequest<NSManagedObjectID> {
    let definition = try opened.entity(named: entity)
    let request = NSFetchRequest<NSManagedObjectID>(entityName: definition.name)
    request.resultType = .managedObjectIDResultType
    request.includesSubentities = includesSubentities
    request.fetchLimit = limit
    request.fetchOffset = offset
    if let predicate {
      let parsed = try NSPredicate(validating: predicate)
      try NameCheck(model: opened.model, entity: definition).check(predicate: parsed)
      let named = try ObjectNames(opened: opened, entity: definition).resolved(parsed.condition)
      let dated = try DateTexts(model: opened.model, entity: definition).resolved(named)
      request.predicate = .make(dated)
    }
    request.sortDescriptors = try sort.map { text in
      let (key, ascending) = Self.sortKey(text)
      try NameCheck(model: opened.model, entity: definition).check(key)
      return NSSortDescriptor(key: key, ascending: ascending)
    }
    return request
  }

  static func sortKey(_ text: String) -> (key: String, ascending: Bool) {
    if text.hasPrefix("-") { return (String(text.dropFirst()), false) }
    if text.hasSuffix(":desc") { return (String(text.dropLast(5)), false) }
    if text.hasSuffix(":asc") { return (String(text.dropLast(4)), true) }
    return (text, true)
  }
}
