// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A model with its coordinator, stores and contexts.
///
/// ```swift
/// let container = NSPersistentContainer(name: "WorldCup")
/// container.loadPersistentStores { description, error in
///   if let error { fatalError("\(error)") }
/// }
/// let context = container.viewContext
/// ```
/// Source: documented, “NSPersistentContainer”.
open class NSPersistentContainer: NSObject, @unchecked Sendable {
  // Unchecked: the container is configured on one thread and only read afterwards; `viewContext` is created
  // under a lock.
  private let view = Mutex<NSManagedObjectContext?>(nil)

  /// Creates a container for the model with that name, found in the main bundle or next to the program.
  ///
  /// If the model is missing, the reason is written to standard error and the container has an empty
  /// model.
  public convenience init(name: String) {
    self.init(
      name: name,
      managedObjectModel: ModelLocator.model(named: name) ?? NSManagedObjectModel()
    )
  }

  /// Creates a container for `model` with one store description.
  ///
  /// The store is the SQLite store `<name>.sqlite` in `defaultDirectoryURL()` or, if that file does not exist,
  /// the store of this name that earlier versions of this library created in the parent folder
  /// (DEVIATIONS.md).
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self.name = name
    managedObjectModel = model
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    super.init()
    let file = DefaultStore.url(named: name, in: type(of: self).defaultDirectoryURL())
    persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
  }

  /// The name of the container and, by default, of its store's file.
  public let name: String
  /// The model of the container's stores.
  public let managedObjectModel: NSManagedObjectModel
  /// The coordinator of the container's stores, shared by its contexts.
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The stores that `loadPersistentStores` adds.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] = []

  /// The folder of default stores: the program's folder in the user's application support folder, on
  /// Linux `~/.local/share/<program>`.
  ///
  /// `loadPersistentStores` creates it.
  ///
  /// Source: documented, “defaultDirectoryURL()”; the program's folder as on macOS.
  open class func defaultDirectoryURL() -> URL { DefaultStore.folder }

  /// The context on the main queue.
  open var viewContext: NSManagedObjectContext {
    view.withLock { view in
      if let view { return view }
      let made = NSManagedObjectContext(concurrencyType: .mainQueueConcurrencyType)
      made.name = "viewContext"
      made.persistentStoreCoordinator = persistentStoreCoordinator
      view = made
      return made
    }
  }

  /// Adds the described stores that are not added yet, and calls `block` once for each of these stores.
  ///
  /// Works synchronously unless a description requests otherwise. Creates the folder of a store's file, unless
  /// the store is read-only.
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      if isLoaded(description) { continue }
      if let folder = description.url?.deletingLastPathComponent(), !description.isReadOnly {
        // The error is dropped: if the folder could not be created, adding the store fails with an error that
        // names the file.
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// Whether the store is already added; URLs cannot distinguish stores in memory.
  private func isLoaded(_ description: NSPersistentStoreDescription) -> Bool {
    if let url = description.url, !description.isInMemory {
      return persistentStoreCoordinator.persistentStore(for: url) != nil
    }
    guard let store = description.store else { return false }
    return store.persistentStoreCoordinator === persistentStoreCoordinator
  }

  /// Returns a new context with a private queue.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }

  /// Schedules `block` with a new background context on the context's queue, and returns at once.
  open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }

  /// Runs `block` with a new background context on the context's queue, and returns the result of `block`.
  ///
  /// A block that is isolated to the caller's actor runs on that actor. A block that main-actor code writes
  /// without `@Sendable` is isolated in this way; write `{ @Sendable context in … }` to keep the work off the
  /// main actor. Leave `isolation`, which is the caller's actor, at its default.
  public func performBackgroundTask<T, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @isolated(any) (NSManagedObjectContext) throws(Failure) -> T
  ) async throws(Failure) -> T {
    let context = newBackgroundContext()
    // Both function types have the same representation, and the block is called only on its actor or on
    // the queue of `context`.
    let body = unsafeBitCast(block, to: ((NSManagedObjectContext) throws(Failure) -> T).self)
    return try await context.run(.immediate, isolation, owner: block.isolation) {
      () throws(Failure) -> T in try body(context)
    }
  }
}
