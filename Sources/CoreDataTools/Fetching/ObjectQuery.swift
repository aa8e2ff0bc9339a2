// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataModel
import CoreDataSQLite
import CoreDataStore
import Foundation

/// What `fetch` asks of one entity, as texts from the command line.
package struct ObjectQuery {
  package var entity: String
  /// A format; objects in it are named as `fetch` shows them: `owner == 'Person/p1'`.
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

  private func request(in opened: OpenedStore) throws -> NSFetchRequest<NSManagedObjectID> {
    let definition = try opened.entity(named: entity)
    let request = NSFetchRequest<NSManagedObjectID>(entityName: definition.name)
    request.resultType = .managedObjectIDResultType
    request.includesSubentities = includesSubentities
    request.fetchLimit = limit
    request.fetchOffset = offset
    if let predicate {
      let parsed = try NSPredicate(validating: predicate)
      try NameCheck(model: opened.model, entity: definition).check(predicate: parsed)
      let names = ObjectNames(opened: opened, entity: definition)
      request.predicate = .make(try names.resolved(parsed.condition))
    }
    request.sortDescriptors = try sort.map { try Self.descriptor($0, definition, opened.model) }
    return request
  }

  private static func descriptor(
    _ text: String,
    _ entity: EntityDefinition,
    _ model: ModelDefinition
  ) throws -> NSSortDescriptor {
    var key = text
    var ascending = true
    if key.hasPrefix("-") {
      key.removeFirst()
      ascending = false
    } else if key.hasSuffix(":desc") {
      key.removeLast(5)
      ascending = false
    } else if key.hasSuffix(":asc") {
      key.removeLast(4)
    }
    try NameCheck(model: model, entity: entity).check(key)
    return NSSortDescriptor(key: key, ascending: ascending)
  }
}
