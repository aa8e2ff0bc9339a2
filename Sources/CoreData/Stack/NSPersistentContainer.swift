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

  /// Creates a container for the model named `name`, which is searched for in the main bundle and next to the
  /// program.
  ///
  /// If the model cannot be found or loaded, the reason is written to standard error and the container has an
  /// empty model.
  public convenience init(name: String) {
    self.init(
      name: name,
      managedObjectModel: ModelLocator.model(named: name) ?? NSManagedObjectModel()
    )
  }

  /// Creates a container for `model` with one store description.
  ///
  /// The description is for the SQLite store `<name>.sqlite` in `defaultDirectoryURL()`, or for an existing
  /// store of this name that an earlier version of this library created in another folder (DEVIATIONS.md).
  public init(name: String, managedObjectModel model: NSManagedObjectModel) {
    self.name = name
    managedObjectModel = model
    persistentStoreCoordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    super.init()
    let file = DefaultStore.url(named: name, in: type(of: self).defaultDirectoryURL())
    persistentStoreDescriptions = [NSPersistentStoreDescription(url: file)]
  }

  /// The name of the container; by default, the store's file is `<name>.sqlite`.
  public let name: String
  /// The model of the container's stores.
  public let managedObjectModel: NSManagedObjectModel
  /// The coordinator of the container's stores, which the container's contexts share.
  public let persistentStoreCoordinator: NSPersistentStoreCoordinator
  /// The descriptions of the stores that `loadPersistentStores` adds; by default, one SQLite store.
  open var persistentStoreDescriptions: [NSPersistentStoreDescription] = []

  /// Returns the default directory for stores: a directory named after the program in the user's Application
  /// Support directory, for example `~/.local/share/<program>`.
  ///
  /// If there is no Application Support directory, the temporary directory is used instead.
  /// `loadPersistentStores` creates the program's directory if it does not exist.
  ///
  /// Source: documented, “defaultDirectoryURL()”. The subdirectory named after the program matches macOS.
  open class func defaultDirectoryURL() -> URL { DefaultStore.folder }

  /// The context on the main queue, which is created at the first access.
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

  /// Adds each described store that has not been added yet, and calls `block` once for each of these stores,
  /// with an error if the store could not be added.
  ///
  /// Adds a store synchronously unless its description's `shouldAddStoreAsynchronously` is true. Creates the
  /// folder of a store's file unless the description is read-only.
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

  /// Whether the described store is already added; stores in memory are compared by identity, because their
  /// URLs can be equal.
  private func isLoaded(_ description: NSPersistentStoreDescription) -> Bool {
    if let url = description.url, !description.isInMemory {
      return persistentStoreCoordinator.persistentStore(for: url) != nil
    }
    guard let store = description.store else { return false }
    return store.persistentStoreCoordinator === persistentStoreCoordinator
  }

  /// Returns a new context with a private queue, connected to the container's coordinator.
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
  /// A block that is isolated to the caller's actor runs on that actor instead. In main-actor code, a block
  /// that is not marked `@Sendable` is isolated to the main actor; write `{ @Sendable context in … }` to keep
  /// the work off the main actor. Leave `isolation`, which is the caller's actor, at its default.
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

/// A protocol whose extension adds `NSPersistentContainer.defaultDirectoryURL`.
///
/// A class cannot declare both a property and a method of this name.
public protocol DefaultDirectoryProviding {}

extension NSPersistentContainer: DefaultDirectoryProviding {}

extension DefaultDirectoryProviding where Self: NSPersistentContainer {
  /// The default directory for stores, the same as `defaultDirectoryURL()`.
  ///
  /// Source: documented, “defaultDirectoryURL”.
  public static var defaultDirectoryURL: URL { defaultDirectoryURL() }
}
