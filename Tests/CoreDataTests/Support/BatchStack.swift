// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing
import _CoreDataSQLite

extension LibraryStack {
  /// The only store.
  var store: NSPersistentStore {
    get throws { try #require(container.persistentStoreCoordinator.persistentStores.first) }
  }

  /// The statements that `body` starts, in order.
  func statements(_ body: () throws -> Void) throws -> [String] {
    let texts = StartedTexts()
    try store.statements.setOnStart { texts.add($0) }
    defer { try? store.statements.setOnStart(nil) }
    try body()
    return texts.all
  }

  func insert(
    _ entity: String,
    _ rows: [[String: Any]],
    _ type: NSBatchInsertRequestResultType = .statusOnly
  ) throws -> Any? {
    let request = NSBatchInsertRequest(entityName: entity, objects: rows)
    request.resultType = type
    return try (context.execute(request) as? NSBatchInsertResult)?.result
  }

  func update(
    _ entity: String,
    _ values: [AnyHashable: Any],
    where predicate: NSPredicate? = nil,
    _ type: NSBatchUpdateRequestResultType = .updatedObjectsCountResultType
  ) throws -> Any? {
    let request = NSBatchUpdateRequest(entityName: entity)
    request.propertiesToUpdate = values
    request.predicate = predicate
    request.resultType = type
    return try (context.execute(request) as? NSBatchUpdateResult)?.result
  }

  func delete(
    _ entity: String,
    where predicate: NSPredicate? = nil,
    _ type: NSBatchDeleteRequestResultType = .resultTypeCount
  ) throws -> Any? {
    let fetch = NSFetchRequest<NSFetchRequestResult>(entityName: entity)
    fetch.predicate = predicate
    let request = NSBatchDeleteRequest(fetchRequest: fetch)
    request.resultType = type
    return try (context.execute(request) as? NSBatchDeleteResult)?.result
  }

  /// The sorted texts of a property, read by a context that knows nothing.
  func texts(_ entity: String, _ key: String) throws -> [String] {
    try reread(entity).map { $0.text(key) ?? "-" }.sorted()
  }
}

/// Statement texts in the order of their start.
private final class StartedTexts: @unchecked Sendable {
  // Unchecked: the store calls on the thread that executes.
  private(set) var all: [String] = []
  func add(_ text: String) { all.append(text) }
}
