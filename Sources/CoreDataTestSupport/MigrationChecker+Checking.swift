// SPDX-License-Identifier: Apache-2.0

import CoreData
import _CoreDataModel
import _CoreDataSQLite
import _CoreDataTools

extension MigrationChecker {
  /// Migrates a store of each version with a container of the current model, and checks the laws.
  ///
  /// The container uses mapping models beside the model and among the program's resources.
  /// - Parameter configure: Changes the store's description before the container loads the store, for example
  ///   to set a staged migration manager.
  /// - Returns: A failure for each violation of a law; empty if all laws hold.
  /// - Throws: an error if a store of an old version cannot be created.
  public func failures(
    configuring configure: (NSPersistentStoreDescription) throws -> Void = { _ in }
  ) throws -> [Failure] {
    try failures { store in
      guard let model = NSManagedObjectModel(contentsOf: url) else {
        throw Violation("the model at \(url.path) cannot be loaded")
      }
      let container = NSPersistentContainer(name: currentName, managedObjectModel: model)
      let description = NSPersistentStoreDescription(url: store)
      try configure(description)
      container.persistentStoreDescriptions = [description]
      var failure: (any Error)?
      container.loadPersistentStores { _, error in failure = error }
      if let failure { throw failure }
      return container
    }
  }

  /// Migrates a store of each version with the program's own code, and checks the laws.
  ///
  /// - Parameter open: Opens the store at the URL, and returns a container that has only this store. If
  ///   `open` throws an error, the error is reported as a failure of that version.
  /// - Returns: A failure for each violation of a law; empty if all laws hold.
  /// - Throws: an error if a store of an old version cannot be created.
  public func failures(opening open: (URL) throws -> NSPersistentContainer) throws -> [Failure] {
    try versions.flatMap { version in
      let folder = FileManager.default.temporaryDirectory
        .appendingPathComponent("migration-check-\(UUID().uuidString)")
      try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
      // The error is dropped, because the system eventually deletes temporary files.
      defer { try? FileManager.default.removeItem(at: folder) }
      return try failures(version, folder.appendingPathComponent("Store.sqlite"), open)
    }
  }

  private func failures(
    _ version: String,
    _ store: URL,
    _ open: (URL) throws -> NSPersistentContainer
  ) throws -> [Failure] {
    let source = try ModelOpening.load(url, version: version)
    let before = try filledStore(at: store, source)
    let known = try findings(store, source.definition)
    let container: NSPersistentContainer
    do {
      container = try open(store)
    } catch {
      return [failure(version, "the store cannot be opened: \(Self.text(of: error))")]
    }
    var failures: [Failure] = []
    do {
      let context = container.newBackgroundContext()
      failures = try context.performAndWait { () throws -> [Failure] in
        defer { context.reset() }
        return try contentFailures(version, source: source, before: before, in: context)
      }
    } catch {
      failures.append(
        failure(version, "the migrated objects cannot be read: \(Self.text(of: error))")
      )
    }
    do {
      let coordinator = container.persistentStoreCoordinator
      container.viewContext.performAndWait { container.viewContext.reset() }
      for store in coordinator.persistentStores { try coordinator.remove(store) }
    } catch {
      failures.append(
        failure(version, "the migrated store cannot be removed: \(Self.text(of: error))")
      )
    }
    return failures + fileFailures(version, store, known)
  }

  private func failure(
    _ version: String,
    law: String? = nil,
    object: String? = nil,
    property: String? = nil,
    _ text: String
  ) -> Failure {
    Failure(
      version: version,
      seed: seed,
      law: law,
      object: object,
      property: property,
      text: text
    )
  }

  private static func text(of error: any Error) -> String {
    let error = error as NSError
    guard error.domain == NSCocoaErrorDomain, let reason = error.localizedFailureReason else {
      return "\(error)"
    }
    return "\(error.localizedDescription) \(reason) (\(error.code))"
  }

  // MARK: The store before

  private func filledStore(at url: URL, _ source: LoadedModel) throws -> StoreSnapshot {
    let model = NSManagedObjectModel(draft: source.draft)
    model.isForTools = true
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(type: .sqlite, at: url)
    let context = NSManagedObjectContext(concurrencyType: .privateQueueConcurrencyType)
    context.persistentStoreCoordinator = coordinator
    let snapshot = try context.performAndWait { () throws -> StoreSnapshot in
      defer { context.reset() }
      var content = RandomContent(source.definition, seed: seed)
      content.objectsOfEach = objectsOfEachEntity
      _ = try content.fill(context)
      return try StoreSnapshot(context, source.definition)
    }
    try coordinator.remove(store)
    return snapshot
  }

  // MARK: The store after

  private func contentFailures(
    _ version: String,
    source: LoadedModel,
    before: StoreSnapshot,
    in context: NSManagedObjectContext
  ) throws -> [Failure] {
    let after = try StoreSnapshot(context, current.definition)
    let comparison = SnapshotComparison(
      try shared(from: version, source),
      current.definition,
      exemptions: exemptions
    )
    var failures = comparison.differences(before, after).map {
      failure(version, object: $0.object, property: $0.property, $0.text)
    }
    if before.oneSidedLinks(source.definition).isEmpty {
      failures += after.oneSidedLinks(current.definition).map {
        failure(version, object: $0.object, property: $0.property, $0.text)
      }
    }
    for law in laws where law.versions?.contains(version) ?? true {
      do {
        try law.check(before, context)
      } catch let violation as Violation {
        failures.append(
          failure(
            version,
            law: law.name,
            object: violation.object,
            property: violation.property,
            violation.description
          )
        )
      } catch {
        failures.append(failure(version, law: law.name, Self.text(of: error)))
      }
    }
    return failures
  }

  private func fileFailures(_ version: String, _ store: URL, _ known: [Finding]) -> [Failure] {
    do {
      let coordinator = NSPersistentStoreCoordinator(
        managedObjectModel: NSManagedObjectModel(draft: current.draft)
      )
      let opened = try coordinator.addPersistentStore(
        type: .sqlite,
        at: store,
        options: [NSReadOnlyPersistentStoreOption: true]
      )
      try coordinator.remove(opened)
      let checks = Set(known.map(\.check))
      return try findings(store, current.definition).filter { !checks.contains($0.check) }
        .map { failure(version, "after the migration: \($0.text)") }
    } catch {
      return [failure(version, "the migrated store cannot be opened: \(Self.text(of: error))")]
    }
  }

  /// Returns the doctor's findings except hints, including the result of SQLite's integrity check.
  private func findings(_ url: URL, _ model: ModelDefinition) throws -> [Finding] {
    try Doctor(StoreFile(path: url.path, access: .untouched), model: model).examine()
      .filter { $0.severity != .hint }
  }
}
