// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// A library store with a history, and what the history says in words.
///
/// The titles and ISBNs of books, and the colours of covers, outlive their objects.
final class HistoryStack {
  let stack: LibraryStack
  var context: NSManagedObjectContext { stack.context }
  var coordinator: NSPersistentStoreCoordinator { stack.container.persistentStoreCoordinator }

  static var option: [String: NSObject] {
    [NSPersistentHistoryTrackingKey: NSNumber(value: true)]
  }

  static func model() -> NSManagedObjectModel {
    let model = Library.model()
    for (entity, names) in [
      ("Book", ["title", "isbn", "published"]), ("Novel", ["hero"]), ("Cover", ["colour"]),
    ] {
      for name in names {
        let property = model.entitiesByName[entity]?.propertiesByName[name]
        (property as? NSAttributeDescription)?.preservesValueInHistoryOnDeletion = true
      }
    }
    return model
  }

  init(_ options: [String: NSObject] = [:]) throws {
    stack = try LibraryStack(
      model: Self.model(),
      options: options.merging(Self.option) { given, _ in given }
    )
  }

  func execute(
    _ request: NSPersistentHistoryChangeRequest,
    _ type: NSPersistentHistoryResultType = .transactionsAndChanges
  ) throws -> Any? {
    request.resultType = type
    return try (context.execute(request) as? NSPersistentHistoryResult)?.result
  }

  func transactions(
    after token: NSPersistentHistoryToken? = nil
  ) throws -> [NSPersistentHistoryTransaction] {
    let result = try execute(.fetchHistory(after: token))
    return try #require(result as? [NSPersistentHistoryTransaction])
  }

  /// What happened in each transaction, a line a change, sorted.
  func summaries(after token: NSPersistentHistoryToken? = nil) throws -> [[String]] {
    try transactions(after: token).map { ($0.changes ?? []).map(Self.words).sorted() }
  }

  /// `update Book author title`, `delete Book title=Momo`.
  static func words(_ change: NSPersistentHistoryChange) -> String {
    let name = change.changedObjectID.entity.name ?? ""
    switch change.changeType {
    case .insert: return "insert \(name)"
    case .update:
      let names = (change.updatedProperties ?? []).map(\.name).sorted()
      return (["update", name] + names).joined(separator: " ")
    case .delete:
      let kept = (change.tombstone ?? [:]).map { "\($0.key.base)=\($0.value)" }.sorted()
      return (["delete", name] + kept).joined(separator: " ")
    }
  }

  /// The number that a statement gives on the store's file.
  func count(_ sql: String) throws -> Int {
    try SQLFile(url: try #require(stack.store.url)).count(sql)
  }
}
