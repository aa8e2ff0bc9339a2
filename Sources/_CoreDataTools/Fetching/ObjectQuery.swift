// SPDX-License-Identifier: Apache-2.0

import CoreData
import Foundation
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataStore

/// What `fetch` asks of one entity, as texts from the command line.
package struct ObjectQuery {
  package var entity: String
  /// A format; objects and dates in it are written as `fetch` shows them: `owner == 'Person/p1'`,
  /// `born > "2001-06-01"`.
  package var predicate: String?
  /// Key paths, `-` in front or `:desc` behind for descending.
  package var sort: [String] = []
  package var limit = 0
  package var offset = 0
  package var includesSubentities = true

  package init(entity: String) { self.entity = entity }

  /// The IDs of the objects that fit, in order.
  ///
  /// - Throws: `ToolError`, naming the part of the query and the nearest known name.
  /// - Complexity: one statement for conditions that SQL can say.
  package func ids(
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws -> [NSManagedObjectID] {
    try context.fetch(request(in: opened))
  }

  /// The number of objects that fit.
  ///
  /// - Throws: as `ids`.
  package func count(
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws -> Int {
    let request: NSFetchRequest<NSManagedObjectID> = try request(in: opened)
    return try context.count(for: request)
  }

  /// The number of objects that fit, `limit` and `offset` left out.
  ///
  /// - Throws: as `ids`.
  package func total(
    in context: NSManagedObjectContext,
    of opened: OpenedStore
  ) throws -> Int {
    var query = self
    query.limit = 0
    query.offset = 0
    return try query.count(in: context, of: opened)
  }

  /// How the store would answer.
  ///
  /// - Throws: as `ids`; `ToolError` where the store is not in SQL.
  package func explanation(of opened: OpenedStore) throws -> FetchExplanation {
    guard let store = opened.rows as? SQLiteStore else {
      throw ToolError("\(opened.path) is no store in SQL")
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

  /// `-key` and `key:desc` are descending, `key` and `key:asc` ascending.
  static func sortKey(_ text: String) -> (key: String, ascending: Bool) {
    if text.hasPrefix("-") { return (String(text.dropFirst()), false) }
    if text.hasSuffix(":desc") { return (String(text.dropLast(5)), false) }
    if text.hasSuffix(":asc") { return (String(text.dropLast(4)), true) }
    return (text, true)
  }
}
