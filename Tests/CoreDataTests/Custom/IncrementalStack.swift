// SPDX-License-Identifier: Apache-2.0

import CoreData
import Testing

/// The library's model with a `TableStore`.
final class IncrementalStack {
  let url: URL
  let server: TableServer
  let coordinator: NSPersistentStoreCoordinator
  let store: NSPersistentStore
  let context: NSManagedObjectContext

  /// Adds a store with a new server, or with the server of another stack.
  init(
    like other: IncrementalStack? = nil,
    options: [AnyHashable: Any]? = nil
  ) throws {
    (url, server) = other.map { ($0.url, $0.server) } ?? TableStore.newServer()
    coordinator = NSPersistentStoreCoordinator(managedObjectModel: Library.model())
    store = try coordinator.addPersistentStore(
      type: NSPersistentStore.StoreType(rawValue: TableStore.type),
      at: url,
      options: options
    )
    context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
  }

  func newContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    return context
  }

  /// Saves an author with two books, one of them a novel, and clears the log.
  func fill() throws {
    try context.performAndWait {
      let author = make("Author", ["name": "Mann"])
      let book = make("Book", ["title": "Essays", "pages": 320, "author": author])
      let tag = make("Tag", ["name": "german"])
      book.mutableSetValue(forKey: "tags").add(tag)
      _ = make("Novel", ["title": "Zauberberg", "pages": 1002, "author": author])
      try context.save()
      context.reset()
    }
    server.log = []
  }

  func make(
    _ entity: String,
    _ values: [String: Any],
    in context: NSManagedObjectContext? = nil
  ) -> NSManagedObject {
    let object = NSEntityDescription.insertNewObject(
      forEntityName: entity,
      into: context ?? self.context
    )
    object.setValuesForKeys(values)
    return object
  }

  func books(
    _ format: String? = nil,
    in context: NSManagedObjectContext? = nil
  ) throws -> [NSManagedObject] {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.predicate = format.map { NSPredicate(format: $0) }
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    return try (context ?? self.context).fetch(request)
  }

  func book(
    _ title: String,
    in context: NSManagedObjectContext? = nil
  ) throws -> NSManagedObject {
    try #require(try books("title == '\(title)'", in: context).first)
  }
}
