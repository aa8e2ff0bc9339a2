// SPDX-License-Identifier: Apache-2.0

import CoreData
import CoreDataTestSupport
import _CoreDataModel

/// A store on its way from one model to another, in a folder that goes with it.
final class MigratedFile: Sendable {
  let folder: URL
  let url: URL

  convenience init() throws {
    try self.init(
      folder: FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    )
  }

  init(folder: URL) throws {
    self.folder = folder
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    url = folder.appendingPathComponent("store.sqlite")
  }

  deinit { try? FileManager.default.removeItem(at: folder) }

  static var migrating: [AnyHashable: Any] {
    [
      NSMigratePersistentStoresAutomaticallyOption: true,
      NSInferMappingModelAutomaticallyOption: true,
    ]
  }

  /// Adds the store to a new coordinator, and removes it after `body`.
  func open<T>(
    _ draft: ModelDraft,
    options: [AnyHashable: Any]? = nil,
    _ body: (NSManagedObjectContext, NSPersistentStore) throws -> T
  ) throws -> T {
    try open(.tools(draft), options: options, body)
  }

  /// As above; a model that is used again does not compute its hashes again.
  func open<T>(
    _ model: NSManagedObjectModel,
    options: [AnyHashable: Any]? = nil,
    _ body: (NSManagedObjectContext, NSPersistentStore) throws -> T
  ) throws -> T {
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: model)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: options
    )
    let context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
    defer {
      context.performAndWait { context.reset() }
      try? coordinator.remove(store)
    }
    return try context.performAndWait { try body(context, store) }
  }

  /// A copy of the closed store, with its side files.
  func copy() throws -> MigratedFile {
    let folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.copyItem(at: self.folder, to: folder)
    return try MigratedFile(folder: folder)
  }

  /// Migrates the store, and closes it.
  func migrate(
    to draft: ModelDraft,
    options: [AnyHashable: Any] = [:]
  ) throws {
    try open(draft, options: Self.migrating.merging(options) { _, new in new }) { _, _ in }
  }

  /// Migrates the store, and closes it.
  func migrate(to version: StepModels.Version) throws {
    try open(version.model, options: Self.migrating) { _, _ in }
  }

  /// All objects of the store, opened with that model alone.
  func content(_ version: StepModels.Version) throws -> StoreContent {
    try open(version.model) { context, _ in try StoreContent(context, version.definition) }
  }

  /// Migrates the store as a program does that has a model of two versions, and closes it.
  func migrate(from old: URL, to new: URL) throws {
    let model = folder.appendingPathComponent("Model.xcdatamodeld")
    for (name, file) in [("Model", old), ("Model 2", new)] {
      let version = model.appendingPathComponent("\(name).xcdatamodel")
      try FileManager.default.createDirectory(at: version, withIntermediateDirectories: true)
      try Data(contentsOf: file).write(to: version.appendingPathComponent("contents"))
    }
    let current = try PropertyListSerialization.data(
      fromPropertyList: ["_XCCurrentVersionName": "Model 2.xcdatamodel"],
      format: .xml,
      options: 0
    )
    try current.write(to: model.appendingPathComponent(".xccurrentversion"))
    guard let loaded = NSManagedObjectModel(contentsOf: model) else {
      throw CocoaError(.fileReadCorruptFile)
    }
    loaded.isForTools = true
    let coordinator = NSPersistentStoreCoordinator(managedObjectModel: loaded)
    let store = try coordinator.addPersistentStore(
      ofType: NSSQLiteStoreType,
      configurationName: nil,
      at: url,
      options: Self.migrating
    )
    try coordinator.remove(store)
  }

  /// All objects of the store, opened with that model alone.
  func content(_ draft: ModelDraft, options: [AnyHashable: Any]? = nil) throws -> StoreContent {
    try open(draft, options: options) { context, _ in
      try StoreContent(context, ModelDefinition(draft))
    }
  }
}

extension NSManagedObjectModel {
  /// A model whose objects are plain `NSManagedObject`s.
  static func tools(_ draft: ModelDraft) -> NSManagedObjectModel {
    let model = NSManagedObjectModel(draft: draft)
    model.isForTools = true
    return model
  }
}

/// The objects of a store, to be compared.
typealias StoreContent = StoreSnapshot
