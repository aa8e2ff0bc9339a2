// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport

/// The law's model in two contexts of one store: what small tests of single findings need.
// Unchecked: used on one thread.
final class ListLawFindings: @unchecked Sendable {
  let coordinator: NSPersistentStoreCoordinator
  let mine: NSManagedObjectContext
  let other: NSManagedObjectContext
  private let saves: Posts
  private let file: URL?
  private var keys: ForeignKeys?

  init(isSQLite: Bool = false) throws {
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: ListLawWorld.model)
    file =
      isSQLite
      ? FileManager.default.temporaryDirectory
        .appendingPathComponent("list-findings-\(UUID().uuidString).sqlite") : nil
    try coordinator.addPersistentStore(
      ofType: isSQLite ? NSSQLiteStoreType : NSInMemoryStoreType,
      configurationName: nil,
      at: file,
      options: nil
    )
    mine = Self.context()
    other = Self.context()
    for context in [mine, other] {
      context.persistentStoreCoordinator = coordinator
      context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    }
    saves = Posts(other, .NSManagedObjectContextDidSave)
  }

  private static func context() -> NSManagedObjectContext {
    NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
  }

  deinit {
    guard let file else { return }
    for store in coordinator.persistentStores { try? coordinator.remove(store) }
    for suffix in ["", "-wal", "-shm"] {
      try? FileManager.default.removeItem(atPath: file.path + suffix)
    }
  }

  /// Links in the file to rows that are not there; empty for a store in memory.
  func brokenLinks() throws -> [String] {
    guard let file else { return [] }
    let keys = try self.keys ?? ForeignKeys(file, ListLawWorld.model)
    self.keys = keys
    return keys.broken()
  }

  /// The first column of a statement on the store's file.
  func sql(_ statement: String) throws -> [String] {
    try file.map { try SQLFile(url: $0).texts(statement) } ?? []
  }

  /// Another context of the coordinator.
  func context(
    _ policy: NSMergePolicy = .mergeByPropertyObjectTrump,
    merging: Bool = false
  ) -> NSManagedObjectContext {
    let context = Self.context()
    context.persistentStoreCoordinator = coordinator
    context.mergePolicy = policy
    context.automaticallyMergesChangesFromParent = merging
    return context
  }

  func child(of parent: NSManagedObjectContext) -> NSManagedObjectContext {
    let child = Self.context()
    child.parent = parent
    child.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    return child
  }

  @discardableResult
  func add(
    _ entity: String,
    _ values: [String: Any],
    in context: NSManagedObjectContext? = nil
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(
      forEntityName: entity,
      into: context ?? mine
    )
    for (key, value) in values { object.setValue(value, forKey: key) }
    return object
  }

  /// The object of another context that stands for the same row.
  func twin(
    _ object: NSManagedObject,
    in context: NSManagedObjectContext? = nil
  ) -> NSManagedObject {
    (context ?? other).object(with: object.objectID)
  }

  /// Saves the other context.
  ///
  /// - Returns: the notification of it.
  func saveOther() throws -> Notification {
    try other.save()
    return saves.last ?? Notification(name: .NSManagedObjectContextDidSave)
  }

  func controller(
    _ entity: String = "Nation",
    _ predicate: String? = nil,
    order: [String],
    sections: String? = nil,
    batchSize: Int = 0,
    in context: NSManagedObjectContext? = nil
  ) -> NSFetchedResultsController<NSManagedObject> {
    let request = NSFetchRequest<NSManagedObject>(entityName: entity)
    request.sortDescriptors = order.map { NSSortDescriptor(key: $0, ascending: true) }
    request.predicate = predicate.map { NSPredicate(format: $0) }
    request.fetchBatchSize = batchSize
    return NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context ?? mine,
      sectionNameKeyPath: sections,
      cacheName: nil
    )
  }

  func fetch(_ predicate: String, order: [String] = ["name"]) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Nation")
    request.predicate = NSPredicate(format: predicate)
    request.sortDescriptors = order.map { NSSortDescriptor(key: $0, ascending: true) }
    return try mine.fetch(request)
  }
}

extension NSManagedObject {
  /// The objects of a to-many.
  func linked(_ key: String) -> Set<NSManagedObject> {
    value(forKey: key) as? Set<NSManagedObject> ?? []
  }
  /// The object of a to-one.
  func link(_ key: String) -> NSManagedObject? { value(forKey: key) as? NSManagedObject }
}
