// SPDX-License-Identifier: Apache-2.0

import CoreData
import Synchronization
import Testing

/// Everything at once: gives ThreadSanitizer something to see, and has a known result without it.
@Suite struct ConcurrencyStressTests {
  private static let workers = 4
  private static let rounds = 12

  @Test(arguments: [NSSQLiteStoreType, NSInMemoryStoreType])
  func manyContextsFetchSaveAndMergeAtOnce(type: String) async throws {
    let stack = try LibraryStack(type)
    let container = stack.container
    let merging = Self.mergingContext(container)
    let controller = await merging.perform { Transfer(Self.controller(merging)) }
    let ids = SharedIDs()
    try await withThrowingTaskGroup(of: Void.self) { group in
      for worker in 0..<Self.workers {
        group.addTask { try await Self.write(container, worker, ids) }
        group.addTask { try await Self.read(container, ids) }
      }
      group.addTask { try await Self.lookUp(merging, ids) }
      try await group.waitForAll()
    }
    // What the merges queued is done before the list is looked at.
    let shown = try await merging.perform(schedule: .enqueued) {
      merging.processPendingChanges()
      return try controller.value.0.fetchedObjects.map {
        Set($0.compactMap { $0.value(forKey: "title") as? String }).count
      } ?? merging.count(for: NSFetchRequest<NSManagedObject>(entityName: "Book"))
    }
    #expect(shown == Self.workers * Self.rounds)
    #expect(try stack.reread("Book").count == Self.workers * Self.rounds)
    #expect(ids.all.count == Self.workers * Self.rounds)
    #expect(Set(ids.all.map { $0.uriRepresentation() }).count == ids.all.count)
    await merging.perform { withExtendedLifetime(controller) { controller.value.0.delegate = nil } }
  }

  private static func mergingContext(_ container: NSPersistentContainer) -> NSManagedObjectContext {
    let context = container.newBackgroundContext()
    context.automaticallyMergesChangesFromParent = true
    return context
  }

  private static func controller(
    _ context: NSManagedObjectContext
  ) -> (NSFetchedResultsController<NSManagedObject>, Follower) {
    let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
    request.sortDescriptors = [NSSortDescriptor(key: "title", ascending: true)]
    let controller = NSFetchedResultsController(
      fetchRequest: request,
      managedObjectContext: context,
      sectionNameKeyPath: nil,
      cacheName: nil
    )
    let follower = Follower()
    controller.delegate = follower
    try? controller.performFetch()
    return (controller, follower)
  }

  private static func write(
    _ container: NSPersistentContainer,
    _ worker: Int,
    _ ids: SharedIDs
  ) async throws {
    let context = container.newBackgroundContext()
    for round in 0..<rounds {
      let id = try await context.perform {
        let book = NSEntityDescription.insertNewObject(forEntityName: "Book", into: context)
        book.setValue("\(worker)-\(round)", forKey: "title")
        let tag = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
        tag.setValue(NSSet(object: book), forKey: "books")
        try context.save()
        context.refresh(book, mergeChanges: false)
        return book.objectID
      }
      ids.add(id)
    }
  }

  private static func read(_ container: NSPersistentContainer, _ ids: SharedIDs) async throws {
    let context = container.newBackgroundContext()
    for _ in 0..<rounds {
      let objects = Transfer(
        try await context.perform {
          let request = NSFetchRequest<NSManagedObject>(entityName: "Book")
          request.predicate = NSPredicate(format: "title CONTAINS[cd] '-1' AND tags.@count > 0")
          return try context.fetch(request)
        }
      )
      // The objects die on another thread, while their context goes on.
      async let dropped: Void = Task.detached { withExtendedLifetime(objects) {} }.value
      for id in ids.all.suffix(3) {
        try await context.perform {
          let title = try context.existingObject(with: id).value(forKey: "title") as? String
          #expect(title?.contains("-") == true)
        }
      }
      await dropped
    }
  }

  private static func lookUp(_ context: NSManagedObjectContext, _ ids: SharedIDs) async throws {
    for _ in 0..<rounds {
      for id in ids.all.suffix(5) {
        await context.perform {
          #expect(context.object(with: id).objectID == id)
          _ = context.registeredObject(for: id)?.value(forKey: "title")
        }
      }
    }
  }

  @Test func storesComeAndGoWhileOthersAreUsed() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let container = stack.container
    let coordinator = container.persistentStoreCoordinator
    try await withThrowingTaskGroup(of: Void.self) { group in
      group.addTask {
        for _ in 0..<20 {
          let store = try coordinator.addPersistentStore(
            ofType: NSInMemoryStoreType,
            configurationName: nil,
            at: nil
          )
          try coordinator.remove(store)
        }
      }
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<20 {
            let context = container.newBackgroundContext()
            await context.perform {
              _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
              _ = coordinator.persistentStores.map(\.identifier)
              _ = context.hasChanges
              context.rollback()
            }
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(coordinator.persistentStores.count == 1)
  }

  @Test func contextsMayDieWhileOthersMergeIntoThem() async throws {
    let stack = try LibraryStack(NSInMemoryStoreType)
    let container = stack.container
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<4 {
        group.addTask {
          for _ in 0..<25 {
            let context = Self.mergingContext(container)
            _ = try await context.perform {
              try context.fetch(NSFetchRequest<NSManagedObject>(entityName: "Tag")).count
            }
          }
        }
      }
      group.addTask {
        for _ in 0..<50 {
          try await container.performBackgroundTask { context in
            _ = NSEntityDescription.insertNewObject(forEntityName: "Tag", into: context)
            try context.save()
          }
        }
      }
      try await group.waitForAll()
    }
    #expect(try stack.reread("Tag").count == 50)
  }

  @Test func oneModelServesManyThreadsFromItsFirstUseOn() async throws {
    let model = Library.model()
    await withTaskGroup(of: Int.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
          let context = NSManagedObjectContext(.privateQueue)
          context.persistentStoreCoordinator = coordinator
          return await context.perform {
            let book = NSEntityDescription.insertNewObject(forEntityName: "Novel", into: context)
            book.setValue("hero", forKey: "hero")
            return book.entity.propertiesByName.count
          }
        }
      }
      for await count in group { #expect(count == 11) }
    }
  }
}

/// IDs that many threads add and read.
private final class SharedIDs: Sendable {
  private let ids = Mutex<[NSManagedObjectID]>([])
  func add(_ id: NSManagedObjectID) { ids.withLock { $0.append(id) } }
  var all: [NSManagedObjectID] { ids.withLock { $0 } }
}

/// Reads the objects that a results controller tells of.
private final class Follower: NSFetchedResultsControllerDelegate {
  private var titles: [String] = []
  func controller(
    _ controller: NSFetchedResultsController<NSFetchRequestResult>,
    didChange anObject: Any,
    at indexPath: IndexPath?,
    for type: NSFetchedResultsChangeType,
    newIndexPath: IndexPath?
  ) {
    guard type != .delete, let object = anObject as? NSManagedObject else { return }
    titles.append(object.value(forKey: "title") as? String ?? "")
  }
}

/// Carries what its context's queue alone uses.
private struct Transfer<Value>: @unchecked Sendable {
  // Unchecked: used on the context's queue, or only let go.
  let value: Value
  init(_ value: Value) { self.value = value }
}
