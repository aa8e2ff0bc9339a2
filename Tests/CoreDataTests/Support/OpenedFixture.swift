// SPDX-License-Identifier: Apache-2.0

import CoreData
import FixtureStores
import Testing
import _CoreDataModel

/// A copy of one of the collection's stores, open below its model, in a folder that goes with it.
final class OpenedFixture {
  let definition: ModelDefinition
  let context: NSManagedObjectContext
  private let coordinator: NSPersistentStoreCoordinator
  private let store: NSPersistentStore
  private let folder: URL

  /// Nil where neither the collection nor the store itself has the model.
  init?(_ fixture: FixtureStore) throws {
    folder = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    do {
      let path = try fixture.copy(to: folder)
      guard let definition = try fixture.model(storedAt: path) else {
        try FileManager.default.removeItem(at: folder)
        return nil
      }
      self.definition = definition
      FixtureTransformers.register(for: definition)
      coordinator = NSPersistentStoreCoordinator(
        managedObjectModel: try Self.model(of: fixture, storedAt: path)
      )
      // Without the option a store with a history is for reading only.
      let hasHistory = try RawRows.read(path) {
        try !$0.texts("SELECT name FROM sqlite_master WHERE name = 'ACHANGE'").isEmpty
      }
      store = try coordinator.addPersistentStore(
        ofType: NSSQLiteStoreType,
        configurationName: nil,
        at: URL(fileURLWithPath: path),
        options: hasHistory ? [NSPersistentHistoryTrackingKey: true] : nil
      )
    } catch {
      try? FileManager.default.removeItem(at: folder)
      throw error
    }
    context = NSManagedObjectContext(.privateQueue)
    context.persistentStoreCoordinator = coordinator
  }

  deinit {
    context.performAndWait { context.reset() }
    try? coordinator.remove(store)
    try? FileManager.default.removeItem(at: folder)
  }

  private static func model(
    of fixture: FixtureStore,
    storedAt path: String
  ) throws -> NSManagedObjectModel {
    guard let file = fixture.modelFile else {
      return try NSManagedObjectModel(storedAt: URL(fileURLWithPath: path))
    }
    let source = FixtureStore.folder.appendingPathComponent("models/\(file)")
    return try #require(NSManagedObjectModel(contentsOf: source))
  }
}

/// Transformers for the names that models of other people's apps give: keyed archives, which the programs
/// of those apps would have registered their own for.
enum FixtureTransformers {
  static func register(for model: ModelDefinition) {
    for entity in model.entities {
      for case let name? in entity.properties.map({ $0.attribute?.ownTransformerName }) {
        let name = NSValueTransformerName(name)
        if ValueTransformer.named(name) != nil { continue }
        ValueTransformer.setValueTransformer(
          NSSecureUnarchiveFromDataTransformer(),
          forName: name
        )
      }
    }
  }
}
