// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A model, its stores and its contexts, ready to use.
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
  // Unchecked: set up on one thread, read from then on; `viewContext` is made under a lock.
  private let view = Mutex<NSManagedObjectContext?>(nil)

  /// A container of the model of that name, found in the main bundle or beside the program.
  ///
  /// A missing model is reported on the standard error, and the container has an empty one.
  public convenience init(name: String) {
    self.init(
      name: name,
      managedObjectModel: ModelLocator.model(named: name) ?? NSManagedObjectModel()
    )
  }

  /// A container of `model`, with one description: an SQLite store `<name>.sqlite` in
  /// `defaultDirectoryURL()`, or the store that earlier versions of this library made beside that folder
  /// (DEVIATIONS.md).
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self.name = name
    managedObjectModel = model
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    super.init()
    let file = DefaultStore.url(named: name, in: type(of: self).defaultDirectoryURL())
    persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
  }

  /// The name of the container; its first store is named after it.
  public let name: String
  /// The model of the container's stores.
  public let managedObjectModel: NSManagedObjectModel
  /// The coordinator of the container's stores, shared by its contexts.
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// What `loadPersistentStores` adds.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] = []

  /// The folder of the default stores: the program's folder in the user's application support folder, on
  /// Linux `~/.local/share/<program>`.
  ///
  /// `loadPersistentStores` makes it. Source: documented, “defaultDirectoryURL()”; the folder of the program
  /// as on a Mac.
  open class func defaultDirectoryURL() -> URL { DefaultStore.folder }

  /// The context of the main queue.
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

  /// Adds the described stores that are not added yet; calls `block` once for each.
  ///
  /// Synchronous, unless a description says otherwise. Makes the folder of a store's file.
  open func loadPersistentStores(
    completionHandler block: @escaping (NSPersistentStoreDescription, (any Error)?) -> Void
  ) {
    for description in persistentStoreDescriptions {
      if isLoaded(description) { continue }
      if let folder = description.url?.deletingLastPathComponent(), !description.isReadOnly {
        // Adding the store to a folder that could not be made fails, and names the file.
        try? FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      }
      persistentStoreCoordinator.addPersistentStore(with: description, completionHandler: block)
    }
  }

  /// Whether the store is one of the coordinator's; no URL tells those in memory apart.
  private func isLoaded(_ description: NSPersistentStoreDescription) -> Bool {
    if let url = description.url, !description.isInMemory {
      return persistentStoreCoordinator.persistentStore(for: url) != nil
    }
    guard let store = description.store else { return false }
    return store.persistentStoreCoordinator === persistentStoreCoordinator
  }

  /// A new context with a queue of its own.
  open func newBackgroundContext() -> NSManagedObjectContext {
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = persistentStoreCoordinator
    return context
  }

  /// Runs `block` with a new background context, on its queue, later.
  open func performBackgroundTask(_ block: @escaping @Sendable (NSManagedObjectContext) -> Void) {
    let context = newBackgroundContext()
    context.perform { block(context) }
  }

  /// Runs `block` with a new background context, on its queue, and gives its result.
  ///
  /// A block that belongs to the caller's actor, as every block does that code of the main actor writes
  /// without `@Sendable`, runs on that actor: write `{ @Sendable context in … }` to keep the work off the
  /// main actor. `isolation` is the caller's actor: leave it alone.
  public func performBackgroundTask<T, Failure: Error>(
    isolation: isolated (any Actor)? = #isolation,
    _ block: @escaping @isolated(any) (NSManagedObjectContext) throws(Failure) -> T
  ) async throws(Failure) -> T {
    let context = newBackgroundContext()
    // Called where its actor runs, or on the queue of `context`; the call itself is the same.
    let body = unsafeBitCast(block, to: ((NSManagedObjectContext) throws(Failure) -> T).self)
    return try await context.run(.immediate, isolation, owner: block.isolation) {
      () throws(Failure) -> T in try body(context)
    }
  }
}
